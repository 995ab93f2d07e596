import type { Outgoing } from '../emulator/faults/faulty-answers.js';
import { createSteering } from '../emulator/model/steering.js';
import type { JobRecord, RequestRecord } from '../emulator/model/truth.js';
import type { World } from '../emulator/model/world.js';
import { createService } from '../emulator/service/service.js';
import { changeKeys, comeAndGo, discountOf, KEYS } from './account-events.js';
import { EPOCH_MS, type Sim } from './engine/current.js';
import { rowIn } from './rows.js';
import type { Scenario } from './scenario.js';
import { createServiceFaults } from './service-faults.js';
import { smallFile } from './small-files.js';

/** The emulator's service on the seed's clock: what it keeps of every request and job is the truth that the checks go by. */

/** One POST as it left the client. */
export interface Post {
  number: number;
  /** `batch/id`. */
  row: string;
  kind: string;
  atMs: number;
  /** The answer told the client for sure what happened. */
  isCertain: boolean;
  /** What it was answered with, where that arrived. */
  status: number | undefined;
  /** What the service was told to do with it. */
  faults: readonly string[];
  jobs: Job[];
  /** The attempt of the row that was claimed last when it came. */
  attempt: number;
}

/** A job or synchronous call as it really is. */
export interface Job {
  number: number;
  record: JobRecord;
  row: string;
  kind: string;
  post: Post;
  polls: { atMs: number; told: 'running' | 'terminal' | 'trouble' }[];
  /** How often its output was refused as expired: a fresh URL may then be asked for. */
  refusedFetches: number;
}

export interface ServiceWatcher {
  /** Just before a POST is taken; gives the number of the attempt that it belongs to. */
  posting(row: string): number;
  created(job: Job): void;
  polled(job: Job): void;
  requested(): void;
}

export interface SimService {
  world: World;
  posts: Post[];
  jobs: Job[];
  /** Notes a POST that leaves; `undefined` for other requests. */
  post(method: string, body: string): Post | undefined;
  /** The service takes a request. */
  take(request: { method: string; path: string; body: string }, post: Post | undefined): Promise<Outgoing>;
  jobOf(handle: string): Job | undefined;
  /** Which key the product has: the one that failed is replaced when its time is over. */
  keyMark(): string;
}

const BASE_URL = 'https://service.example';
const USER_AGENT = 'sim/1';

export function createSimService(sim: Sim, scenario: Scenario, watcher: ServiceWatcher): SimService {
  const { scheduler } = sim;
  const { seed, plan, faults, prices, assumptions } = scenario;
  const random = sim.random.fork('account');
  const posts: Post[] = [];
  const jobs: Job[] = [];
  const postOf = new Map<RequestRecord, Post>();
  const onJob = (record: JobRecord): void => {
    const post = postOf.get(record.request);
    if (!post) throw new Error(`${record.id} was made of no POST`);
    const { row, kind } = post;
    const job: Job = { number: jobs.length + 1, record, row, kind, post, polls: [], refusedFetches: 0 };
    jobs.push(job);
    post.jobs.push(job);
    watcher.created(job);
  };
  // Little enough that some seeds run out before they have finished.
  const balanceCredits = String(faults.outOfCredits > 0 ? random.int(1, 3) : 1_000);
  const discounts = discountOf(scenario, random);
  const keys = [{ key: KEYS[0], state: 'active' }] as const;
  const service = createService(
    { seed, plan, balanceCredits, prices, discounts, keys, assumptions },
    {
      time: { nowMs: () => EPOCH_MS + scheduler.now(), after: scheduler.after },
      baseUrl: () => BASE_URL,
      faults: createServiceFaults(sim, scenario, isKnownAnswer),
      build: async (spec) => smallFile(spec),
      onJob,
    },
  );
  const { world } = service;
  const steering = createSteering(world);
  comeAndGo(sim, scenario, steering, random);
  const keyMark = changeKeys(sim, scenario, steering, random);
  return {
    world,
    posts,
    jobs,
    post(method, body) {
      watcher.requested();
      if (method !== 'POST') return undefined;
      const row = rowIn(body);
      const planned = scenario.rows.find(({ batch, id }) => `${batch}/${id}` === row);
      if (row === undefined || planned === undefined) throw new Error(`a POST names no row: ${body.slice(0, 200)}`);
      const attempt = watcher.posting(row);
      const fresh = { row, kind: planned.kind, atMs: scheduler.now(), isCertain: false, status: undefined, attempt };
      const post: Post = { ...fresh, number: posts.length + 1, faults: [], jobs: [] };
      posts.push(post);
      return post;
    },
    take({ method, path, body }, post) {
      const [pathname = '', query] = path.split('?', 2);
      const authorization = `Bearer ${keyMark() === 'first' ? KEYS[0] : KEYS[1]}`;
      const { record, outgoing } = service.take({
        method,
        path: pathname,
        parameters: new URLSearchParams(query),
        headers: { authorization, 'user-agent': USER_AGENT, 'content-type': 'application/json' },
        body: async () => Buffer.from(body),
      });
      if (post) postOf.set(record, post);
      return outgoing.finally(() => {
        if (post) post.faults = (record.faults ?? []).filter((name) => name !== 'render-seconds');
      });
    },
    jobOf: (handle) => jobOf(world.jobs.get(handle)?.record),
    keyMark,
  };

  function jobOf(record: JobRecord | undefined): Job | undefined {
    return jobs.find((job) => job.record === record);
  }

  /** A cache repeats only what the product has: the answer of a job that it polled. */
  function isKnownAnswer(route: string): boolean {
    const text = world.lastAnswers.get(route)?.body.toString() ?? '';
    return jobs.some(({ polls, record }) => polls.length > 0 && text.includes(record.handle ?? '\0'));
  }
}

/** What a job costs in the end: a failed one nothing, whatever moved meanwhile. */
export function costNano({ record }: Job): number {
  const { state, chargedNano, refundedNano, expectedNano } = record;
  if (state === 'queued' || state === 'running') return expectedNano;
  if (state !== 'succeeded') return 0;
  return record.chargedMs === undefined ? expectedNano : chargedNano - refundedNano;
}

export function isRunning({ record }: Job): boolean {
  return record.terminalMs === undefined;
}
