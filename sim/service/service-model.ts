import type { Dependencies } from '../../activities/dependencies.js';
import type { ServiceRequest } from '../../src/domain/exchange.js';
import { DownloadError } from '../../src/service/vetted-request.js';
import { hostPromise, inHost, type Sim } from '../engine/current.js';
import type { Fault, Scenario } from '../scenario.js';
import { type AccountModel, createAccountModel } from './account-model.js';
import { FAMILIES } from './families.js';
import { createJobsModel, type Job, type JobsModel } from './jobs-model.js';
import { readMarker } from './marker.js';
import { createSubmitsModel, type Post, type SubmitsModel, viewOf } from './submits-model.js';
import { answer, errorBody, lose, type Wire } from './wire.js';

/** The model of the service behind the product's transport and downloader. It shares no code with either. */
export interface ServiceModel {
  account: AccountModel;
  jobs: JobsModel;
  submits: SubmitsModel;
  transport: Dependencies['transport'];
  downloader: Dependencies['downloader'];
}

export interface ServiceWatcher {
  /** Just before a POST is taken; gives the number of the attempt that it belongs to. */
  posting(row: string): number;
  posted(post: Post): void;
  created(job: Job): void;
  polled(job: Job): void;
  requested(): void;
}

const READ_TIMEOUT_MS = 15_000;
const POST_TIMEOUT_MS = 180_000;
const URL_LIFE_MS = 3_600_000;

export function createServiceModel(sim: Sim, scenario: Scenario, watcher: ServiceWatcher): ServiceModel {
  const { scheduler } = sim;
  const random = sim.random.fork('network');
  const account = createAccountModel(sim, scenario);
  const jobs = createJobsModel(sim, scenario, account);
  const submits = createSubmitsModel(sim, scenario, account, jobs, watcher.created);

  return {
    account,
    jobs,
    submits,
    transport: {
      async send(request, options = {}) {
        const isPost = request.method === 'POST';
        await inHost(random.between(1, random.chance(0.02) ? 9_000 : 60), () => undefined);
        if (draws('notSent')) {
          noteTrouble(request);
          return notSent('connect', 'ECONNREFUSED');
        }
        try {
          options.beforeSend?.();
        } catch {
          return notSent('guard', 'GUARD');
        }
        const { promise, arriveAfter } = hostPromise<Awaited<ReturnType<Dependencies['transport']['send']>>>();
        const timeoutMs = isPost ? (options.headersTimeoutMs ?? POST_TIMEOUT_MS) : READ_TIMEOUT_MS;
        scheduler.after(random.between(1, 40), () => take(request, { timeoutMs, arriveAfter }));
        return promise;
      },
      close: async () => undefined,
    },
    // No row of the model has an input that is fetched by us.
    downloader: { fetchOutput, fetchInput: fetchOutput, close: async () => undefined },
  };

  function draws(fault: Fault): boolean {
    return scenario.isTroubled(scheduler.now()) && random.chance(scenario.faults[fault]);
  }

  function take(request: ServiceRequest, wire: Wire): void {
    watcher.requested();
    if (request.method === 'POST') takePost(request, wire);
    else takeRead(request.path, wire);
  }

  function takePost(request: ServiceRequest, wire: Wire): void {
    const family = FAMILIES.find((one) => one.submitPath.test(request.path));
    const marker = readMarker(request.body);
    if (!family || !marker) throw new Error(`the model does not know POST ${request.path}`);
    const row = `${marker.batch}/${marker.id}`;
    watcher.posted(submits.take({ row, family, attempt: watcher.posting(row) }, wire));
  }

  function takeRead(path: string, wire: Wire) {
    const afterMs = random.between(10, 300);
    if (!account.isKeyGood()) return answer(wire, afterMs, 401, errorBody('key_expired', 'the key has expired'));
    if (path === '/v1/discounts') return answer(wire, afterMs, 200, { discounts: account.discounts() as never });
    if (path === '/v1/credits') return readCredits(wire, afterMs);
    const job = jobOf(path);
    if (!job) return answer(wire, afterMs, 404, { detail: 'not found' });
    poll(job, wire, afterMs);
  }

  function jobOf(path: string): Job | undefined {
    const handle = decodeURIComponent(path.split('/').at(-1) ?? '');
    return jobs.jobs.find((one) => one.handle === handle);
  }

  /** A poll that never arrived: the pause after it is no fault of the schedule. */
  function noteTrouble({ path }: ServiceRequest): void {
    jobOf(path)?.polls.push({ atMs: scheduler.now(), told: 'trouble' });
  }

  function readCredits(wire: Wire, afterMs: number) {
    if (draws('readFails')) {
      const shapes = [{ credits_remaining: null }, { credits_remaining: '12.5' }, {}];
      if (random.chance(0.5)) return answer(wire, afterMs, 503, '<html></html>');
      return answer(wire, afterMs, 200, {
        ...random.pick(shapes),
        plan_level: 'pro',
        rpm_limit: 60,
        concurrent_limit: 5,
      });
    }
    const { rpm, concurrent } = account.plan;
    const noise = random.chance(0.2) ? 1e-12 : 0;
    answer(wire, afterMs, 200, {
      credits_remaining: account.shownNano() / 1e9 + noise,
      plan_level: 'pro',
      rpm_limit: rpm,
      concurrent_limit: concurrent,
    });
  }

  function poll(job: Job, wire: Wire, afterMs: number) {
    const nowMs = scheduler.now();
    const tell = (told: Job['polls'][number]['told']): void => {
      job.polls.push({ atMs: nowMs, told });
      watcher.polled(job);
    };
    if (draws('pollFails')) {
      tell('trouble');
      if (random.chance(0.3)) return lose(wire, 2_000, { phase: 'headers', code: 'ECONNRESET' });
      return answer(wire, afterMs, random.pick([500, 502, 503, 429]), { detail: 'try again' });
    }
    if (draws('pollGone')) {
      tell('trouble');
      return answer(wire, afterMs, random.pick([404, 409, 410]), { detail: 'not found' });
    }
    if (draws('pollRefused')) {
      tell('trouble');
      return answer(wire, afterMs, random.pick([400, 403, 422]), { detail: 'not now' });
    }
    const view = viewOf(job, nowMs, `u${nowMs}`);
    tell(view.word === 'running' ? 'running' : 'terminal');
    answer(wire, afterMs, 200, job.family.polled(view));
  }

  async function fetchOutput(url: string) {
    await inHost(random.between(10, 200), () => undefined);
    const [, number] = /^https:\/\/out\.example\/(\d+)\//.exec(url) ?? [];
    const job = jobs.jobs[Number(number) - 1];
    if (!job) throw new Error(`the model gave no such URL: ${url}`);
    if (draws('downloadExpired') || scheduler.now() > job.endsAtMs + URL_LIFE_MS) {
      job.refusedFetches += 1;
      throw new DownloadError('expired', 'the URL has expired', 403);
    }
    const isCut = draws('downloadFails');
    if (isCut && random.chance(0.5)) throw new DownloadError('unreachable', 'the host could not be reached');
    async function* stream(): AsyncIterable<Uint8Array> {
      await inHost(random.between(10, 2_000), () => undefined);
      if (isCut) {
        yield job?.bytes.subarray(0, 20) ?? new Uint8Array();
        throw new DownloadError('short', 'the body ended early');
      }
      yield job?.bytes ?? new Uint8Array();
    }
    return { contentType: 'video/mp4', stream: stream() };
  }
}

function notSent(phase: 'connect' | 'guard', code: string) {
  return { outcome: 'not_sent', phase, code, message: 'nothing was sent', tookMs: 10 } as const;
}
