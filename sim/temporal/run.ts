import { CancelledFailure } from '@temporalio/common';
import { type Sim, sim } from '../engine/current.js';
import type { AfterRest } from '../engine/scheduler.js';

/** One run of a workflow and its tasks: what arrived is applied, all comes to rest, then its commands are sent. */

export interface Scope {
  isCancellable: boolean;
  isRequested: boolean;
  onCancel: Set<(failure: CancelledFailure) => void>;
}

type Handler = (...inputs: unknown[]) => unknown;

/** How a run ends: with a result, by handing over to the next run, or by an error. */
export type Ending =
  | { how: 'completed'; result: unknown }
  | { how: 'cancelled' }
  | { how: 'failed'; error: unknown }
  | { how: 'again'; input: unknown };

export interface WorkflowRun {
  id: string;
  type: string;
  /** Virtual ms since the start of the seed. */
  startedAtMs: number;
  isOpen: boolean;
  historyLength: number;
  handlers: Map<string, Handler>;
  buffered: { name: string; inputs: unknown[] }[];
  conditions: Set<{ isMet: () => boolean; resolve: () => void }>;
  scopes: Scope[];
  openHandlers: number;
  jobs: { isSignal: boolean; apply: () => void }[];
  commands: { startsChild: boolean; send: () => void }[];
  ending: Ending | undefined;
  isTaskDue: boolean;
}

export function newRun(id: string, type: string, startedAtMs: number): WorkflowRun {
  return {
    id,
    type,
    startedAtMs,
    isOpen: true,
    historyLength: 1,
    handlers: new Map(),
    buffered: [],
    conditions: new Set(),
    scopes: [{ isCancellable: true, isRequested: false, onCancel: new Set() }],
    openHandlers: 0,
    jobs: [],
    commands: [],
    ending: undefined,
    isTaskDue: false,
  };
}

/** The run whose code is running. */
export function currentRun(): WorkflowRun {
  const { actor } = sim();
  if (actor?.what !== 'workflow') throw new Error('no workflow is running');
  return actor.run as WorkflowRun;
}

export function scopeOf(run: WorkflowRun): Scope {
  const scope = run.scopes.at(-1);
  if (!scope) throw new Error('a run has a scope');
  return scope;
}

export function isCancelled(scope: Scope): boolean {
  return scope.isCancellable && scope.isRequested;
}

/** One workflow task, as the SDK does it: signals first, then what was waited for; conditions after each. */
export function runTask(at: Sim, run: WorkflowRun, onEnd: (ending: Ending) => void): AfterRest {
  run.isTaskDue = false;
  run.historyLength += 3;
  at.actor = { what: 'workflow', run };
  const jobs = run.jobs.splice(0);
  const rest = jobs.filter((job) => !job.isSignal);
  for (const job of jobs) if (job.isSignal) job.apply();
  return () =>
    unblock(run, () => {
      for (const job of rest) job.apply();
      return () => unblock(run, () => sendCommands(run, onEnd));
    });
}

function unblock(run: WorkflowRun, then: () => AfterRest): AfterRest {
  const met = [...run.conditions].filter((condition) => condition.isMet());
  if (met.length === 0) return then();
  for (const condition of met) {
    run.conditions.delete(condition);
    condition.resolve();
  }
  return () => unblock(run, then);
}

function sendCommands(run: WorkflowRun, onEnd: (ending: Ending) => void): undefined {
  const { ending } = run;
  for (const command of run.commands.splice(0)) {
    // A child that was asked for in the task that ends its parent never exists.
    if (!(ending && command.startsChild)) command.send();
  }
  if (ending) onEnd(ending);
}

export function handleSignal(run: WorkflowRun, name: string, inputs: unknown[]): void {
  const handler = run.handlers.get(name);
  if (!handler) {
    run.buffered.push({ name, inputs });
    return;
  }
  const result = handler(...inputs);
  if (!(result instanceof Promise)) return;
  run.openHandlers += 1;
  void result
    .catch((error: unknown) => {
      run.ending = { how: 'failed', error };
    })
    .finally(() => {
      run.openHandlers -= 1;
    });
}

export function requestCancel(run: WorkflowRun): void {
  const [root] = run.scopes;
  if (root) cancelScope(root);
}

export function cancelScope(scope: Scope): void {
  if (scope.isRequested) return;
  scope.isRequested = true;
  const failure = new CancelledFailure('the workflow was cancelled');
  for (const cancel of [...scope.onCancel]) cancel(failure);
  scope.onCancel.clear();
}

/** A promise that ends early when the scope that it was made in is cancelled. */
export function waiting<T>(
  run: WorkflowRun,
  begin: (resolve: (value: T) => void, reject: (failure: Error) => void) => () => void,
): Promise<T> {
  const scope = scopeOf(run);
  if (isCancelled(scope)) return Promise.reject(new CancelledFailure('the scope was cancelled'));
  return new Promise<T>((resolve, reject) => {
    const cancel = (failure: CancelledFailure): void => {
      stop();
      reject(failure);
    };
    const done = (): void => {
      scope.onCancel.delete(cancel);
    };
    if (scope.isCancellable) scope.onCancel.add(cancel);
    const stop = begin(
      (value) => {
        done();
        resolve(value);
      },
      (failure) => {
        done();
        reject(failure);
      },
    );
  });
}
