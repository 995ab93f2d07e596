import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import type { ActivityActor, ActivityOptions, Worker } from '../engine/current.js';
import type { Random } from '../engine/random.js';
import { cloneJson, type ServerOptions, weigh } from './payloads.js';
import type { WorkflowRun } from './run.js';

/** The activity queues of the server: dispatch, the api queue's rate, time-outs, retries. */

export interface ActivityQueues {
  schedule(call: Call): void;
  /** Requests per second of the api queue follow the plan. */
  setRpm(rpm: number): void;
  wipe(): void;
}

interface Call {
  run: WorkflowRun;
  type: string;
  input: unknown;
  options: ActivityOptions;
  resolve: (value: unknown) => void;
  reject: (failure: Error) => void;
}

interface Task extends Call {
  attempt: number;
  scheduledMs: number;
  deadlineMs: number;
  details: unknown;
  /** Changes with every attempt: what comes from an earlier one is too late. */
  token: number;
}

/** The reserve and the window of the product's own api worker. */
const RPM_RESERVE = 4;
const RPM_WINDOW_MS = 61_000;
/** An activity that fails this often with the same defect will never succeed. */
const DEFECTS_MAX = 40;

export function createActivityQueues(
  options: ServerOptions,
  random: Random,
  tell: (run: WorkflowRun, apply: () => void) => void,
): ActivityQueues {
  const { sim, workers, report, trace, faults } = options;
  const { scheduler } = sim;
  let waiting: Task[] = [];
  let gapMs = RPM_WINDOW_MS / (60 - RPM_RESERVE);
  let nextTurnMs = 0;
  let isTurnDue = false;
  const beats = new WeakMap<Task, () => void>();

  return {
    schedule(call) {
      weigh(options, `the input of ${call.type}`, call.input);
      const scheduledMs = scheduler.now();
      const deadlineMs = scheduledMs + call.options.scheduleToCloseMs;
      enqueue({ ...call, attempt: 1, scheduledMs, deadlineMs, details: undefined, token: 0 });
    },
    setRpm(rpm) {
      gapMs = RPM_WINDOW_MS / Math.max(1, rpm - RPM_RESERVE);
    },
    wipe() {
      waiting = [];
    },
  };

  function enqueue(task: Task): void {
    if (!task.options.queue.endsWith('/api')) {
      scheduler.after(random.between(1, 10), () => dispatch(task));
      return;
    }
    waiting.push(task);
    turnSoon();
  }

  /** The api queue: one task a turn, the most urgent first. */
  function turnSoon(): void {
    if (isTurnDue || waiting.length === 0) return;
    isTurnDue = true;
    scheduler.after(Math.max(random.between(1, 10), nextTurnMs - scheduler.now()), () => {
      isTurnDue = false;
      const first = waiting.reduce((a, b) => (b.options.priority < a.options.priority ? b : a), waiting[0] as Task);
      waiting = waiting.filter((task) => task !== first);
      nextTurnMs = scheduler.now() + gapMs;
      turnSoon();
      if (first) dispatch(first);
    });
  }

  function dispatch(task: Task): void {
    if (!task.run.isOpen) return;
    const able = workers().filter((worker) => worker.canWork());
    if (able.length === 0) {
      scheduler.after(random.between(500, 1_500), () => dispatch(task));
      return;
    }
    const worker = random.pick(able);
    const token = ++task.token;
    task.run.historyLength += task.attempt === 1 ? 3 : 0;
    watch(task, token);
    scheduler.after(random.between(0.5, 5), () => {
      if (worker.isAlive()) perform(task, token, worker);
    });
  }

  function perform(task: Task, token: number, worker: Worker): void {
    let isGivenUp = false;
    const actor: ActivityActor = {
      what: 'activity',
      host: worker,
      attempt: task.attempt,
      scheduledMs: task.scheduledMs,
      heartbeatDetails: cloneJson(task.details),
      heartbeat(details) {
        isGivenUp ||= task.token !== token || !task.run.isOpen;
        if (isGivenUp) return;
        if (details !== undefined) task.details = cloneJson(details);
        beatAt(task, token);
      },
      isGivenUp: () => isGivenUp,
    };
    sim.actor = actor;
    const activity = worker.activities[task.type];
    if (!activity) throw new Error(`no activity '${task.type}'`);
    activity(cloneJson(task.input)).then(
      (value) => finished(task, token, worker, () => succeed(task, value)),
      (error: unknown) => finished(task, token, worker, () => fail(task, error)),
    );
  }

  /** The worker says how it ended; a stopped or dead one does not, and some words are lost on the way. */
  function finished(task: Task, token: number, worker: Worker, then: () => void): void {
    if (random.chance(faults.lostCompletion)) {
      trace(worker.name, `completion of ${task.type} is lost`);
      return;
    }
    const arrive = (): void => {
      if (!worker.isAlive() || task.token !== token) return;
      const stoppedMs = worker.stoppedForMs();
      if (stoppedMs > 0) scheduler.after(stoppedMs, arrive);
      else then();
    };
    scheduler.after(random.between(1, 10), arrive);
  }

  function succeed(task: Task, value: unknown): void {
    task.token += 1;
    weigh(options, `the result of ${task.type}`, value);
    const copy = cloneJson(value);
    if (task.run.isOpen) tell(task.run, () => task.resolve(copy));
  }

  function fail(task: Task, error: unknown): void {
    task.token += 1;
    const failure = error instanceof ApplicationFailure ? error : undefined;
    const isDefect = !failure && !(error instanceof TimeoutFailure);
    if (isDefect && task.attempt === DEFECTS_MAX) report('activity', `${task.type} keeps failing: ${String(error)}`);
    const { attemptsMax, intervalMs, coefficient, intervalMaxMs } = task.options;
    const backoffMs = Math.min(intervalMaxMs, intervalMs * coefficient ** (task.attempt - 1));
    const delayMs = typeof failure?.nextRetryDelay === 'number' ? failure.nextRetryDelay : backoffMs;
    const isOver = task.attempt >= attemptsMax || scheduler.now() + delayMs > task.deadlineMs;
    if (!isOver && !failure?.nonRetryable) {
      task.attempt += 1;
      scheduler.after(delayMs, () => {
        if (task.run.isOpen) enqueue(task);
      });
      return;
    }
    const cause = error instanceof Error ? error : new Error(String(error));
    const state = RetryState.MAXIMUM_ATTEMPTS_REACHED;
    const told = new ActivityFailure(`${task.type} failed`, task.type, 'a', state, 'worker', cause);
    if (task.run.isOpen) tell(task.run, () => task.reject(told));
  }

  /** The server's two clocks for one attempt: from start to close, and since the last heartbeat. */
  function watch(task: Task, token: number): void {
    scheduler.after(task.options.startToCloseMs, () => {
      if (task.token === token) fail(task, new TimeoutFailure('start to close', undefined, TimeoutType.START_TO_CLOSE));
    });
    beatAt(task, token);
  }

  function beatAt(task: Task, token: number): void {
    beats.get(task)?.();
    if (!Number.isFinite(task.options.heartbeatMs)) return;
    const cancel = scheduler.after(task.options.heartbeatMs, () => {
      if (task.token === token) fail(task, new TimeoutFailure('heartbeat', undefined, TimeoutType.HEARTBEAT));
    });
    beats.set(task, cancel);
  }
}
