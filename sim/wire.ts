import type { Dependencies } from '../activities/dependencies.js';
import type { Outgoing } from '../emulator/faults/faulty-answers.js';
import type { WireAnswer } from '../emulator/model/world.js';
import type { Exchange } from '../src/domain/exchange.js';
import { DownloadError } from '../src/service/download.js';
import { hostPromise, inHost, type Sim } from './engine/current.js';
import { rowKindOf } from './rows.js';
import type { Fault, Scenario } from './scenario.js';
import type { Job, Post, ServiceWatcher, SimService } from './service.js';

/** The network between the product and the service: it takes time, loses requests and answers, and cuts bodies. */

const READ_TIMEOUT_MS = 15_000;
const POST_TIMEOUT_MS = 180_000;
/** What tells a client nothing for certain of what became of its request. */
const UNCERTAIN_FAULTS = ['gateway', 'error-with-handle', 'cached-answer', 'create-late'];

type Lost = { phase: 'headers' | 'body'; code: string; status?: number; partialBody?: Uint8Array };

export function createWire(
  sim: Sim,
  scenario: Scenario,
  service: SimService,
  watcher: ServiceWatcher,
  trace: (who: string, what: string) => void,
): Pick<Dependencies, 'transport' | 'downloader'> {
  const random = sim.random.fork('network');
  const { scheduler } = sim;
  const draws = (fault: Fault): boolean =>
    scenario.isTroubled(scheduler.now()) && random.chance(scenario.faults[fault]);

  return {
    transport: {
      async send(request, options = {}) {
        await inHost(random.between(1, random.chance(0.02) ? 9_000 : 60), () => undefined);
        if (draws('notSent')) {
          // The pause after a poll that never arrived is no fault of the schedule.
          polledJob(request.path)?.polls.push({ atMs: scheduler.now(), told: 'trouble' });
          return notSent('connect', 'ECONNREFUSED');
        }
        try {
          options.beforeSend?.();
        } catch {
          return notSent('guard', 'GUARD');
        }
        const isPost = request.method === 'POST';
        const timeoutMs = isPost ? (options.headersTimeoutMs ?? POST_TIMEOUT_MS) : READ_TIMEOUT_MS;
        const body = request.body === undefined ? '' : JSON.stringify(request.body);
        const { promise, arriveAfter } = hostPromise<Exchange>();
        scheduler.after(random.between(1, 40), () => carry({ ...request, body }, timeoutMs, arriveAfter));
        return promise;
      },
      close: async () => undefined,
    },
    downloader: { fetchOutput: fetchFile, fetchInput: fetchFile, close: async () => undefined },
  };

  function carry(
    request: { method: 'GET' | 'POST'; path: string; body: string },
    timeoutMs: number,
    arriveAfter: (delayMs: number, effect: () => Exchange) => void,
  ): void {
    const sentMs = scheduler.now();
    const post = service.post(request.method, request.body);
    const settle = once((afterMs: number, how: (tookMs: number) => Exchange) => {
      arriveAfter(afterMs, () => {
        const exchange = how(scheduler.now() - sentMs);
        if (post) trace('service', `POST ${post.number} of ${post.row}.${post.attempt}: ${heard(post, exchange)}`);
        return exchange;
      });
    });
    const lose = (afterMs: number, how: Lost): void => settle(afterMs, (tookMs) => lost(how, tookMs));
    const stopTimer = scheduler.after(timeoutMs, () => lose(0, { phase: 'headers', code: 'UND_ERR_HEADERS_TIMEOUT' }));
    const reset = (): void => {
      stopTimer();
      lose(random.between(20, 3_000), { phase: 'headers', code: 'ECONNRESET' });
    };
    if (post && draws('lostUncreated')) {
      reset();
      return;
    }
    const outgoing = service.take(request, post);
    // A proxy that sends twice.
    if (post && scenario.broken === 'resend' && random.chance(0.1)) void service.take(request, post);
    if (post && draws('lostCreated')) reset();
    if (post && draws('hang')) return;
    void outgoing.then((sent) => {
      notePoll(request.path, sent);
      if (sent.as === 'silence') return;
      const afterMs = sent.as === 'answer' ? delayOf(post, sent.answer.status) : random.between(20, 3_000);
      // Whichever comes first.
      if (scheduler.now() + afterMs >= sentMs + timeoutMs) return;
      stopTimer();
      if (sent.as !== 'answer') return lose(afterMs, { phase: 'headers', code: 'ECONNRESET' });
      const { status, body } = sent.answer;
      if (post && status < 300 && draws('cutAnswer')) {
        const partialBody = body.subarray(0, random.int(1, body.length - 1));
        return lose(afterMs, { phase: 'body', code: 'ECONNRESET', status, partialBody });
      }
      settle(afterMs, (tookMs) => {
        if (post) noteAnswer(post, sent);
        return answered(sent.answer, tookMs);
      });
    });
  }

  function delayOf(post: Post | undefined, status: number): number {
    if (!post) return random.between(10, 300);
    if (status >= 500) return random.between(100, 5_000);
    const isHandle = status < 300 && rowKindOf(post.kind).charge !== 'at-success';
    if (!isHandle) return random.between(20, 400);
    return random.chance(0.05) ? random.between(5_000, 170_000) : random.between(50, 2_000);
  }

  function polledJob(path: string): Job | undefined {
    return service.jobOf(decodeURIComponent(path.split('/').at(-1) ?? ''));
  }

  function notePoll(path: string, sent: Outgoing): void {
    const job = polledJob(path);
    if (job === undefined) return;
    const isTold = sent.as === 'answer' && sent.answer.status === 200;
    const told = isTold ? (job.record.terminalMs === undefined ? 'running' : 'terminal') : 'trouble';
    job.polls.push({ atMs: scheduler.now(), told });
    watcher.polled(job);
  }

  async function fetchFile(url: string) {
    await inHost(random.between(10, 200), () => undefined);
    const { pathname, search } = new URL(url);
    const request = { method: 'GET', path: `${pathname}${search}`, body: '' } as const;
    const isExpired = draws('downloadExpired');
    const sent = isExpired ? undefined : await service.take(request, undefined);
    if (sent?.as !== 'answer' || sent.answer.status !== 200) {
      const job = service.jobs.find(({ record }) => record.outputs.some(({ id }) => pathname.includes(id)));
      if (job) job.refusedFetches += 1;
      throw new DownloadError('expired', 'the URL has expired', 403);
    }
    const { body, headers } = sent.answer;
    const isCut = draws('downloadFails');
    if (isCut && random.chance(0.5)) throw new DownloadError('unreachable', 'the host could not be reached');
    async function* stream(): AsyncIterable<Uint8Array> {
      await inHost(random.between(10, 2_000), () => undefined);
      yield isCut ? body.subarray(0, 20) : body;
      if (isCut) throw new DownloadError('short', 'the body ended early');
    }
    return { contentType: headers['content-type'], stream: stream() };
  }
}

/** What the client heard, for the trace. */
function heard({ isCertain, faults }: Post, exchange: Exchange): string {
  const why = faults.length > 0 ? ` by ${faults.join(', ')}` : '';
  if (exchange.outcome !== 'answered') return `${exchange.outcome}, ${exchange.code}${why}`;
  return `${exchange.answer.status}${isCertain ? '' : ', which proves nothing'}${why}`;
}

/** The first call counts. */
function once<Input extends unknown[]>(act: (...input: Input) => void): (...input: Input) => void {
  let isDone = false;
  return (...input) => {
    if (!isDone) act(...input);
    isDone = true;
  };
}

function noteAnswer(post: Post, { answer, faults }: Extract<Outgoing, { as: 'answer' }>): void {
  const isWrong = answer.status === 200 && faults.names.includes('answer');
  const isDoubtful = isWrong || faults.names.some((name) => UNCERTAIN_FAULTS.includes(name));
  const isOwnFailure =
    rowKindOf(post.kind).charge === 'at-success' || faults.get('refuse')?.code === 'vendor-f_unreachable';
  post.status = answer.status;
  post.isCertain = !isDoubtful && (answer.status < 500 || isOwnFailure);
}

function answered({ status, headers, body }: WireAnswer, tookMs: number): Exchange {
  const answer = { status, contentType: headers['content-type'], retryAfter: headers['retry-after'], body };
  return { outcome: 'answered', tookMs, answer };
}

function lost(how: Lost, tookMs: number): Exchange {
  return { outcome: 'lost', message: 'the connection ended without a whole answer', tookMs, ...how };
}

function notSent(phase: 'connect' | 'guard', code: string): Exchange {
  return { outcome: 'not_sent', phase, code, message: 'nothing was sent', tookMs: 10 };
}
