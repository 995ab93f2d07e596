import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { firstCaps } from '../activities/account.js';
import { type Dependencies, type Handed, openDependencies } from '../activities/dependencies.js';
import { DOWNLOADS_MAX } from '../activities/download.js';
import { hasFfmpeg } from '../activities/files/film-frame.js';
import { createActivities } from '../activities/index.js';
import { awaitedCalls, endClaims } from '../activities/row/claims.js';
import type { AccountSettings } from './contract/account.js';
import { FRAMES_MARK, taskQueues } from './contract/names.js';
import { defined } from './domain/defined.js';
import type { Log } from './domain/log.js';
import type { AwaitedCall } from './domain/price.js';
import { CLOCK_NOTED_EVERY_MS, newestTimeMs, noteClock } from './home/clocks.js';
import { packageRoot } from './package-root.js';
import { proveBucket } from './store/open-store.js';
import { connectTemporal, connectTemporalWorker, type TemporalOptions } from './temporal.js';
import { type ApiWorker, startApiWorker } from './worker/api.js';
import { machineClock } from './worker/callers.js';
import { createSteadyClock } from './worker/clock.js';
import { createDependencies } from './worker/dependencies.js';
import { startEarlierAnew } from './worker/earlier-workflows.js';
import { createBatchNotices } from './worker/notices.js';
import type { AccountWorkerOptions, WorkerPlace } from './worker/options.js';
import { repeat } from './worker/repeat.js';
import { createRescue } from './worker/rescue.js';

/** The composition root: one account's workers with everything they need. */

/** Until the plan is known: the smallest plan's (service document 1, Limits). */
const RPM_UNKNOWN = 60;
/** How often workflows that can go no further are looked for, ms; a rehearsal is quicker, within reason. */
const RESCUE_EVERY_MS = 60_000;
const RESCUE_MIN_MS = 5_000;
/** A home that could not be told of the clock is tried again so often, ms. */
const TELL_AGAIN_MS = 60_000;
const NOTICES_EVERY_MS = 2_000;
const NOTICES_END_MS = 3_000;

export interface AccountWorker {
  readonly account: string;
  /** Ends when the workers ended. Rejects when one failed. */
  readonly ended: Promise<void>;
  /** Claims nothing and takes no new work, waits for what is under way; the second call waits for the first. */
  shutdown(): Promise<void>;
  /** Paid requests whose answers a shutdown waits for. */
  awaited(): AwaitedCall[];
  /** Notices that still have to arrive: the engine stays up for them. */
  pendingNotices(): number;
  /** Goes on with other prices, limits and waits; what names places and connections stays as it is. */
  adopt(settings: AccountSettings): void;
}

/** Connects to a Temporal server as worker and client. */
export async function openPlace(options: TemporalOptions): Promise<WorkerPlace> {
  // For each promise of a workflow the SDK takes a stack trace, for a query that nobody makes: a fifth of what workflows
  // cost. Contexts that are made from now on have none; where a workflow's error comes from its replay shows.
  setFlagsFromString('--stack-trace-limit=0');
  const { client, namespace } = await connectTemporal(options);
  const connect = async () => (await connectTemporalWorker(options)).connection;
  return { namespace, client, connect, ...defined({ codec: options.codec }) };
}

async function bindHome({ home, transport }: Handed, { baseUrl }: AccountSettings): Promise<void> {
  try {
    await proveBucket(home.store);
    await home.bindBaseUrl(baseUrl);
  } catch (error) {
    // It is tried again and again until the home is there: each try leaves nothing behind.
    await transport.close();
    throw error;
  }
}

/** Tells the home from time to time whose clock this worker goes by; returns how to end that. */
async function tellClock({ home, now }: Handed, log: Log): Promise<() => unknown> {
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = async (): Promise<void> => {
    if (now() < toldMs + CLOCK_NOTED_EVERY_MS) return;
    await noteClock(home, machineClock(), now());
    toldMs = now();
  };
  const failure = 'whose clock is used could not be noted';
  // A home that cannot be written takes no claim either: the worker waits for it as for anything else.
  await tell().catch((error) => log.warn({ error: String(error) }, failure));
  return repeat(TELL_AGAIN_MS, tell, log, failure);
}

/** Requests per minute that the api queue begins with. */
function firstRpmOf(deps: Dependencies): Promise<number> {
  const first = firstCaps(deps).then(
    (caps) => caps?.rpm ?? Math.min(RPM_UNKNOWN, deps.settings.limits.rpm ?? RPM_UNKNOWN),
  );
  // Awaited once other workers are made: a home that cannot be read fails this account alone.
  first.catch(() => undefined);
  return first;
}

/** Starts the three workers of an account: home (workflows, records), api (rate-limited), io (downloads). */
export async function startAccountWorker(options: AccountWorkerOptions): Promise<AccountWorker> {
  const { settings, place, log, window } = options;
  const { account } = settings;
  let api: ApiWorker | undefined;
  /** May be read before the queue that it is for has begun. */
  let newestRpm: number | undefined;
  const clock = createSteadyClock(Date.now, () => performance.now());
  const handed = createDependencies(options, clock, (rpm) => {
    newestRpm = rpm;
    api?.setRpm(rpm);
  });
  await bindHome(handed, settings);
  const deps = openDependencies(options.wrap?.(handed) ?? handed);
  // The clock may have been set back since an earlier worker wrote: what is read from now on is later than its claims.
  clock.notBefore(await newestTimeMs(handed));
  // Where it alone serves the account there is no other clock.
  const endClockNotes = window === undefined ? await tellClock(handed, log) : undefined;
  const firstRpm = firstRpmOf(deps);
  const activities = createActivities(deps);
  const queues = taskQueues(account);
  const connection = await place.connect();
  const common = { connection, namespace: place.namespace, shutdownGraceTime: '20 s', ...encoding(place) } as const;
  const home = await Worker.create({
    ...common,
    taskQueue: queues.home,
    workflowBundle: { codePath: built(place.codec?.encrypts ? 'workflow-bundle-encrypting.js' : 'workflow-bundle.js') },
    activities,
    maxConcurrentActivityTaskExecutions: 50,
  });
  // Of a worker that alone serves the account nobody asks it: commands on its machine look themselves.
  const saysFrames = window === undefined && hasFfmpeg();
  const io = await Worker.create({
    ...common,
    taskQueue: queues.io,
    identity: `${process.pid}@${hostname()}${saysFrames ? FRAMES_MARK : ''}`,
    activities,
    maxConcurrentActivityTaskExecutions: DOWNLOADS_MAX,
  });
  await startEarlierAnew(place.client, deps);
  api = await startApiWorker(
    place,
    { ...common, taskQueue: queues.api, activities },
    { firstRpm: await firstRpm, window, log },
  );
  if (newestRpm !== undefined) api.setRpm(newestRpm);
  const ended = Promise.all([home.run(), io.run(), api.ended]).then(() => undefined);
  const rescue = createRescue({ client: place.client, account, messenger: handed.messenger, log });
  const rescueEveryMs = Math.max(RESCUE_MIN_MS, RESCUE_EVERY_MS / settings.timeScale);
  const endRescue = repeat(rescueEveryMs, rescue.look, log, 'the workflows could not be looked at');
  const notices = createBatchNotices(place.client, deps.books);
  const endNotices = repeat(NOTICES_EVERY_MS, notices.look, log, 'the batches could not be looked at for notices');
  return {
    account,
    ended,
    awaited: () => awaitedCalls(deps),
    pendingNotices: notices.pending,
    adopt(changed) {
      Object.assign(settings, changed);
      notices.adopted();
    },
    shutdown: once(shutDown),
  };

  async function shutDown(): Promise<void> {
    endClaims(deps);
    void endRescue();
    void endClockNotes?.();
    notices.end();
    // Who does not answer in time is told again by who serves the account next.
    const told = Promise.race([endNotices(), sleep(NOTICES_END_MS, undefined, { ref: false })]);
    for (const worker of [home, io]) if (worker.getState() === 'RUNNING') worker.shutdown();
    api?.shutdown();
    await Promise.all([ended.catch(() => undefined), told]);
    await Promise.all([connection.close(), handed.transport.close()]);
  }
}

/** With keys the messages of failures are encoded too: by workflows themselves, so that they have a bundle of their own. */
function encoding({ codec }: WorkerPlace): Pick<WorkerOptions, 'dataConverter'> {
  if (codec === undefined) return {};
  const failures = codec.encrypts ? { failureConverterPath: built('src', 'contract', 'failure-converter.js') } : {};
  return { dataConverter: { payloadCodecs: [codec], ...failures } };
}

function built(...path: string[]): string {
  return join(packageRoot, 'dist', ...path);
}

/** Does it at the first call; later ones wait for that. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
