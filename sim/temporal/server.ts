import { ApplicationFailure } from '@temporalio/common';
import { type ActivityQueues, createActivityQueues } from './activity-queues.js';
import { ContinueAsNewRequest, cloneJson, type ServerOptions, weigh } from './payloads.js';
import { type Ending, handleSignal, newRun, requestCancel, runTask, type WorkflowRun } from './run.js';

/** The Temporal server of a seed: open runs by id, delivery with delays, and a day on which all of it is wiped. */

export interface Server {
  activities: ActivityQueues;
  /** False when a run with the id is open. */
  start(type: string, id: string, input: unknown): boolean;
  /** False when no run with the id is open. */
  signal(id: string, name: string, inputs: unknown[]): boolean;
  cancel(id: string): boolean;
  isOpen(id: string): boolean;
  /** Calls back once no run with the id is open. */
  whenEnded(id: string, callback: () => void): void;
  /** When the newest run with the id began, virtual ms; undefined where there was none. */
  startedMs(id: string): number | undefined;
  query(id: string, name: string): unknown;
  /** Every workflow is gone, with its timers and activities. */
  wipe(): void;
  /** Something happened for a run: it is told in its next task. */
  tell(run: WorkflowRun, apply: () => void, isSignal?: boolean): void;
  latencyMs(): number;
  options: ServerOptions;
}

const TASK_MS_MAX = 12;
/** Design of the product: what histories and payloads stay below (I17). */
const HISTORY_MAX = 4_096;
const HANDOVER_BYTES_MAX = 65_536;

export function createServer(options: ServerOptions): Server {
  const { sim, workflows, trace, report } = options;
  const random = sim.random.fork('server');
  let open = new Map<string, WorkflowRun>();
  const started = new Map<string, number>();
  const awaited = new Map<string, (() => void)[]>();

  const server: Server = {
    options,
    activities: createActivityQueues(options, random, (run, apply) => server.tell(run, apply)),
    start(type, id, input) {
      if (open.has(id)) return false;
      begin(type, id, input);
      return true;
    },
    signal(id, name, inputs) {
      const run = open.get(id);
      if (!run) return false;
      run.historyLength += 1;
      const copy = cloneJson(inputs);
      weigh(options, `signal ${name}`, inputs);
      options.onSignal(id, name, copy);
      server.tell(run, () => handleSignal(run, name, copy), true);
      return true;
    },
    cancel(id) {
      const run = open.get(id);
      if (run) server.tell(run, () => requestCancel(run));
      return run !== undefined;
    },
    isOpen: (id) => open.has(id),
    whenEnded(id, callback) {
      if (open.has(id)) awaited.set(id, [...(awaited.get(id) ?? []), callback]);
      else callback();
    },
    startedMs: (id) => started.get(id),
    query: (id, name) => open.get(id)?.handlers.get(`query:${name}`)?.(),
    wipe() {
      for (const run of open.values()) run.isOpen = false;
      open = new Map();
      started.clear();
      awaited.clear();
      server.activities.wipe();
    },
    tell(run, apply, isSignal = false) {
      if (!run.isOpen) return;
      run.jobs.push({ isSignal, apply });
      taskSoon(run);
    },
    latencyMs: () => random.between(1, 20),
  };
  return server;

  function begin(type: string, id: string, input: unknown, before?: WorkflowRun): void {
    const run = newRun(id, type, sim.scheduler.now());
    open.set(id, run);
    started.set(id, run.startedAtMs);
    const workflow = workflows[type];
    if (!workflow) throw new Error(`no workflow '${type}'`);
    const copy = cloneJson(input) as never;
    if (before) run.jobs.push(...before.jobs.splice(0));
    server.tell(run, () => {
      workflow(copy).then(
        (result) => end(run, { how: 'completed', result }),
        (error: unknown) => end(run, endingOf(run, error)),
      );
    });
    for (const signal of before?.buffered ?? []) server.signal(id, signal.name, signal.inputs);
  }

  function end(run: WorkflowRun, ending: Ending): void {
    run.ending = ending;
  }

  function endingOf(run: WorkflowRun, error: unknown): Ending {
    if (error instanceof ContinueAsNewRequest) return { how: 'again', input: error.input };
    if (run.scopes[0]?.isRequested && isCancelledError(error)) return { how: 'cancelled' };
    return { how: 'failed', error };
  }

  function taskSoon(run: WorkflowRun): void {
    if (run.isTaskDue) return;
    run.isTaskDue = true;
    const begin = (): ReturnType<typeof runTask> => {
      if (!run.isOpen) return undefined;
      if (options.workers().some((worker) => worker.canWork()))
        return runTask(sim, run, (ending) => close(run, ending));
      sim.scheduler.after(500, begin);
      return undefined;
    };
    sim.scheduler.after(random.between(1, TASK_MS_MAX), begin);
  }

  function close(run: WorkflowRun, ending: Ending): void {
    run.isOpen = false;
    if (open.get(run.id) === run) open.delete(run.id);
    trace(run.id, `${run.type} ${ending.how}`);
    if (run.historyLength >= HISTORY_MAX) report('I17', `${run.id} has ${run.historyLength} events`);
    if (ending.how === 'failed') report('workflow', `${run.id} failed: ${describe(ending.error)}`);
    if (ending.how === 'again') weigh(options, `next run of ${run.type}`, ending.input, HANDOVER_BYTES_MAX);
    if (ending.how === 'again') begin(run.type, run.id, ending.input, run);
    options.onEnd(run, ending);
    if (open.has(run.id)) return;
    for (const callback of awaited.get(run.id) ?? []) callback();
    awaited.delete(run.id);
  }
}

function isCancelledError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'CancelledFailure' || isCancelledError(error.cause));
}

function describe(error: unknown): string {
  if (error instanceof ApplicationFailure) return `${error.type}: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The server of the seed that is running, for the primitives that workflows import. */

let server: Server | undefined;

export function serveSeed(of: Server | undefined): void {
  server = of;
}

export function serverOfSeed(): Server {
  if (!server) throw new Error('no seed is running');
  return server;
}
