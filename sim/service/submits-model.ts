import type { Sim } from '../engine/current.js';
import type { Fault, Scenario } from '../scenario.js';
import type { AccountModel } from './account-model.js';
import type { Family } from './family.js';
import { gatewayBody } from './gateway.js';
import { CLIP_END_MS, type Job, type JobsModel, listPrice } from './jobs-model.js';
import { answer, errorBody, lose, type Wire } from './wire.js';

/** What becomes of one POST: what the service does with it, and what of that the client gets to know. */

export interface Post {
  number: number;
  /** `batch/id`. */
  row: string;
  family: Family;
  atMs: number;
  /** The answer told the client for sure what happened. */
  isCertain: boolean;
  /** It was refused, so that it may cost nothing. */
  status: number | undefined;
  jobs: Job[];
  /** The attempt of the row that was claimed last when it came. */
  attempt: number;
}

export interface SubmitsModel {
  posts: Post[];
  take(order: { row: string; family: Family; attempt: number }, wire: Wire): Post;
}

const BROKEN_THETA = 3;

export function createSubmitsModel(
  sim: Sim,
  scenario: Scenario,
  account: AccountModel,
  model: JobsModel,
  onCreate: (job: Job) => void,
): SubmitsModel {
  const random = sim.random.fork('submits');
  const { scheduler } = sim;
  const posts: Post[] = [];

  return {
    posts,
    take(order, wire) {
      const atMs = scheduler.now();
      const post: Post = { ...order, number: posts.length + 1, atMs, isCertain: false, status: undefined, jobs: [] };
      posts.push(post);
      if (!refuse(post, wire)) decide(post, wire);
      return post;
    },
  };

  function draws(fault: Fault): boolean {
    return scenario.isTroubled(scheduler.now()) && random.chance(scenario.faults[fault]);
  }

  function create(post: Post): Job {
    const job = model.create({ family: post.family, row: post.row, post: post.number });
    post.jobs.push(job);
    onCreate(job);
    return job;
  }

  /** Documented refusals: nothing is made, nothing is billed, and the client knows it. */
  function refuse(post: Post, wire: Wire): boolean {
    const told = refusal(post);
    if (!told) return false;
    const [status, body, retryAfter] = told;
    post.isCertain = true;
    post.status = status;
    answer(wire, random.between(20, 400), status, body, retryAfter === undefined ? {} : { retryAfter });
    return true;
  }

  function refusal({ family }: Post): [number, ReturnType<typeof errorBody>, (string | undefined)?] | undefined {
    if (!account.isKeyGood()) return [401, errorBody('key_expired', 'the key has expired')];
    if (draws('tooMany')) {
      const isTold = random.chance(0.5) ? random.pick(['3', '1000000000', '-5']) : undefined;
      return [429, errorBody('rpm_limit_exceeded', 'slow down'), isTold];
    }
    if (draws('badRequest')) return [400, { detail: 'the prompt is not allowed' }];
    if (family.kind === 'vendor-f/video' && draws('unreachable')) {
      return [503, errorBody('vendor-f_unreachable', 'the provider could not be reached')];
    }
    if (model.running() + account.foreignJobs() >= account.plan.concurrent) {
      return [429, errorBody('concurrent_limit_exceeded', 'too many jobs')];
    }
    const price = listPrice(scenario, { family, seconds: 60, tokens: 300_000 } as Job);
    if (account.trueNano() < price) {
      const balance = account.trueNano() / 1e9;
      const details = { details: { credits_required: price / 1e9, credits_balance: balance } };
      return [402, errorBody('insufficient_credits', 'not enough credits', details)];
    }
    return undefined;
  }

  function decide(post: Post, wire: Wire) {
    const resetMs = random.between(20, 3_000);
    if (draws('lostUncreated')) return lose(wire, resetMs, { phase: 'headers', code: 'ECONNRESET' });
    if (draws('errorUncreated')) return random.chance(0.5) ? refundedAnswer(post, wire) : gatewayAnswer(post, wire);
    if (draws('cachedAnswer') && answerOfAnother(post, wire)) return;
    if (draws('lateCreated')) return createLate(post, wire);
    const job = create(post);
    if (scenario.broken === 'resend' && random.chance(0.1)) create(post);
    if (draws('lostCreated')) return lose(wire, resetMs, { phase: 'headers', code: 'ECONNRESET' });
    if (draws('errorCreated')) return gatewayAnswer(post, wire);
    if (draws('handleInError') && post.family.charge !== 'at-success') return handleInError(post, job, wire);
    if (draws('hang')) return lose(wire, wire.timeoutMs, { phase: 'headers', code: 'UND_ERR_HEADERS_TIMEOUT' });
    if (post.family.charge === 'at-success') answerWithResult(post, job, wire);
    else answerWithHandle(post, job, wire);
  }

  /** The service's own failure; of a synchronous call it promises that nothing stays charged. */
  function refundedAnswer(post: Post, wire: Wire): void {
    post.isCertain = post.family.charge === 'at-success';
    post.status = random.pick([500, 502, 503, 504]);
    answer(wire, random.between(100, 5_000), post.status, { detail: 'an internal error' });
  }

  /** A gateway's failure, whatever became of the request behind it. */
  function gatewayAnswer(post: Post, wire: Wire): void {
    post.status = random.pick([500, 502, 503, 504, 408, 425]);
    answer(wire, random.between(100, 5_000), post.status, gatewayBody(random, post.status));
  }

  function handleInError(post: Post, job: Job, wire: Wire): void {
    post.status = random.pick([500, 502, 503, 504]);
    answer(wire, random.between(100, 5_000), post.status, post.family.accepted(job.handle));
  }

  /** A cache repeats a handle that the product has (it polled it); behind it the job may have been made or not. */
  function answerOfAnother(post: Post, wire: Wire): boolean {
    if (post.family.charge === 'at-success') return false;
    const earlier = model.jobs.find((job) => job.family === post.family && job.polls.length > 0);
    if (earlier === undefined) return false;
    if (random.chance(0.5)) create(post);
    answer(wire, random.between(20, 400), 200, post.family.accepted(earlier.handle));
    return true;
  }

  /** The client gives up first; the job appears within Θ of that (later where the assumption is broken). */
  function createLate(post: Post, wire: Wire): void {
    const resetMs = random.between(20, 3_000);
    lose(wire, resetMs, { phase: 'headers', code: 'ECONNRESET' });
    const most = scenario.broken === 'theta' ? BROKEN_THETA * scenario.waits.thetaMs : scenario.truth.bornLateMs;
    scheduler.after(resetMs + random.pick([most, random.between(0, most)]), () => {
      create(post);
    });
  }

  function answerWithResult(post: Post, job: Job, wire: Wire): void {
    const tookMs = job.endsAtMs - scheduler.now();
    if (!job.succeeds) {
      post.isCertain = tookMs <= wire.timeoutMs;
      post.status = tookMs === CLIP_END_MS ? 504 : 500;
      answer(wire, tookMs, post.status, { detail: 'the render failed' });
    } else if (draws('cutAnswer')) {
      const text = JSON.stringify(post.family.polled(viewOf(job, job.endsAtMs, 'u0')));
      const partial = text.slice(0, random.int(1, text.length - 1));
      lose(wire, tookMs, { phase: 'body', code: 'ECONNRESET', status: 200, partial });
    } else if (draws('wrongAnswer')) answer(wire, tookMs, 200, random.pick<string>(['<html></html>', '{}', '[]']));
    else {
      post.isCertain = tookMs <= wire.timeoutMs;
      answer(wire, tookMs, 200, post.family.polled(viewOf(job, job.endsAtMs, 'u0')));
    }
  }

  function answerWithHandle(post: Post, job: Job, wire: Wire): void {
    const body = post.family.accepted(job.handle);
    const text = JSON.stringify(body);
    const tookMs = random.chance(0.05) ? random.between(5_000, 170_000) : random.between(50, 2_000);
    if (draws('cutAnswer')) {
      const partial = text.slice(0, random.int(1, text.length - 1));
      lose(wire, tookMs, { phase: 'body', code: 'ECONNRESET', status: 200, partial });
    } else if (draws('wrongAnswer')) answer(wire, tookMs, 200, random.pick<string>(['<html></html>', '{}', '[]']));
    else {
      post.isCertain = true;
      answer(wire, tookMs, random.chance(0.03) ? 202 : 200, body, {
        onArrival: () => {
          job.answeredAtMs = scheduler.now();
        },
      });
    }
  }
}

/** A job as an answer shows it at a time. */
export function viewOf(job: Job, atMs: number, serial: string) {
  const isOver = atMs >= job.endsAtMs;
  return {
    handle: job.handle,
    url: `https://out.example/${job.number}/${serial}`,
    word: isOver ? (job.succeeds ? 'succeeded' : 'failed') : 'running',
    seconds: job.seconds,
    tokens: job.tokens,
  } as const;
}
