/** The engine itself: one process per data folder that keeps a Temporal server and a worker running. */
import type { Server } from 'node:net';
import type { AwaitedCall } from '../domain/price.js';
import { type ControlReply, type ControlRequest, notReady, otherKey, seenBy, serveControl } from './control.js';
import { childEnvironment, type SupervisorOptions } from './engine-options.js';
import {
  clearStopMark,
  createRecordKeeper,
  isOrder,
  readRecord,
  type StopReason,
  writeStopMark,
} from './engine-record.js';
import type { EngineState } from './engine-status.js';
import { createIdleClock } from './idle.js';
import { endLeftovers, type Keeper, workerDrainMs } from './keeper.js';
import { createHomeLocks, takeFolder } from './locks.js';
import { type EngineLog, type EnginePlaces, enginePlaces } from './places.js';
import { startServer } from './server.js';
import { asideNotice } from './server-database.js';
import { createWorkerLink, type WorkerLink } from './worker-link.js';

export interface Supervisor {
  /** Resolves when server and worker run; throws when the server does not start. */
  start(): Promise<void>;
  /**
   * Drains the worker, ends the server and gives everything back; the second call waits for the first. An engine that
   * a person stops stays stopped until `run`, `resume` or `retry` wants it again.
   */
  stop(why: StopReason): Promise<void>;
  stopped: Promise<void>;
}

const serverStopMs = 10_000;
/** What is ended by force still gets the time to write down what it knows. */
const forcedStopMs = 2_000;

/** Takes the data folder; undefined when another supervisor has it. */
export function createSupervisor(options: SupervisorOptions, log: EngineLog): Supervisor | undefined {
  const places = enginePlaces(options.dataFolder);
  const unlock = takeFolder(places);
  return unlock && createEngine(options, places, log, unlock);
}

function createEngine(
  options: SupervisorOptions,
  places: EnginePlaces,
  log: EngineLog,
  unlock: () => void,
): Supervisor {
  const { record, save, remove } = createRecordKeeper(options.buildId, places, (error) =>
    log.warn({ error: String(error) }, 'the engine cannot write its record (is the disk full?); it is tried again'),
  );
  const idle = createIdleClock(options.idleMs, Date.now);
  const environment = childEnvironment(process.env);
  const homes = createHomeLocks((account) => worker?.accounts().includes(account) ?? false);
  let state: EngineState['state'] = 'starting';
  let control: Server | undefined;
  let server: Keeper | undefined;
  let worker: WorkerLink | undefined;
  let awaited: AwaitedCall[] = [];
  let isForced = false;
  let notice: string | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const ending = new AbortController();
  let reportStopped: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    reportStopped = resolve;
  });

  async function run(): Promise<void> {
    control = await serveControl(places.socket, answer);
    const left = readRecord(places.record);
    if (left !== undefined) await endLeftovers(left);
    clearStopMark(places.stopMark);
    save({});
    worker = createWorkerLink({
      program: options.worker,
      args: ['--data', places.dataFolder],
      environment,
      log: places.logs.worker,
      onOpen: (work) => {
        idle.open(work);
        if (record.openBatches !== work.batches) save({ openBatches: work.batches });
      },
      onAwaiting: (calls) => {
        awaited = calls;
        // What is paid is waited for as long as it may take, whatever the worker's own limit for the rest.
        if (calls.length > 0 && !isForced) worker?.keeper.grant(workerDrainMs);
      },
      onChange: (worker) => save({ worker }),
      onDeath: (how, restartInMs) => log.warn({ how, restartInMs }, 'the worker ended'),
      onLeft: homes.left,
      onReplayFailed: (account, code) => log.warn({ account, code }, 'the new worker could not take the account'),
    });
    worker.keeper.start(); // It loads while the server starts.
    server = await startServer({
      ...options,
      log: places.logs.server,
      environment,
      signal: ending.signal,
      onAddress: (address, uiAddress) => save({ address, uiAddress }),
      onChange: (server) => save({ server }),
      onDeath: (how, restartInMs) => log.warn({ how, restartInMs }, 'the Temporal server ended'),
      onSetAside: (path) => {
        notice = asideNotice(path);
        log.warn({ path }, 'the damaged database of the Temporal server was set aside');
      },
    });
    worker.connect(record.address ?? '');
    idle.used();
    idleTimer = setInterval(endWhenIdle, Math.min(10_000, Math.max(50, options.idleMs / 4)));
    if (state === 'starting') state = 'ready';
    log.info({ address: record.address, folder: places.dataFolder }, 'the engine is ready');
  }

  function endWhenIdle(): void {
    const endsAtMs = idle.endsAtMs();
    if (endsAtMs !== null && Date.now() >= endsAtMs) void stop('no open work');
  }

  async function answer(request: ControlRequest): Promise<ControlReply> {
    switch (request.cmd) {
      case 'status':
        return { ok: true, status: status() };
      case 'join':
        idle.used();
        return { ok: true, status: status() };
      case 'stop':
      case 'stop-now':
        void stop(request.cmd === 'stop' ? 'asked to' : 'asked to at once');
        return { ok: true, status: status() };
      case 'same-key':
        return worker?.hasKey(request.question) ? { ok: true, status: status() } : otherKey;
      case 'look':
        return seenBy(await worker?.look(request.account, request.batch), status());
      case 'account': {
        if (worker === undefined || state !== 'ready') return notReady(state);
        idle.used();
        const taken = await homes.serving(request.registration, worker.register);
        return taken.ok ? { ...taken, status: status() } : taken;
      }
    }
  }

  function status(): EngineState {
    return {
      ...{ state, pid: process.pid, buildId: options.buildId, startedAtMs: record.startedAtMs },
      ...{ dataFolder: places.dataFolder, socket: places.socket },
      address: record.address,
      namespace: 'default',
      uiAddress: record.uiAddress,
      server: { pid: record.server?.pid ?? null, restarts: server?.restarts() ?? 0 },
      worker: { pid: record.worker?.pid ?? null, restarts: worker?.keeper.restarts() ?? 0 },
      accounts: worker?.accounts() ?? [],
      openBatches: idle.work()?.batches ?? null,
      otherWork: idle.work()?.others ?? null,
      awaited,
      notice,
      endsAtMs: idle.endsAtMs(),
      logs: places.logs,
    };
  }

  function stop(why: StopReason): Promise<void> {
    if (isOrder(why)) writeStopMark(places.stopMark, record);
    if (why === 'asked to at once') {
      isForced = true;
      worker?.keeper.grant(forcedStopMs);
    }
    stopping ??= shutDown(why);
    return stopping;
  }

  async function shutDown(why: StopReason): Promise<void> {
    state = 'stopping';
    log.info({ why }, 'the engine ends');
    ending.abort();
    // A start that failed is reported by whoever asked for it.
    await starting?.catch(() => undefined);
    clearInterval(idleTimer);
    // The worker first: what it still has to report needs the server.
    await worker?.keeper.stop(isForced ? forcedStopMs : workerDrainMs);
    await server?.stop(serverStopMs);
    control?.close();
    if (isOrder(why)) writeStopMark(places.stopMark, record);
    remove();
    homes.releaseAll();
    unlock();
    reportStopped();
  }

  return { start: () => (starting ??= run()), stop, stopped };
}
