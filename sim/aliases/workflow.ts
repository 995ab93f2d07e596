import { CancelledFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { EPOCH_MS, sim } from '../engine/current.js';
import { ContinueAsNewRequest, cloneJson, msOf } from '../temporal/payloads.js';
import { cancelScope, currentRun, handleSignal, isCancelled, type Scope, scopeOf, waiting } from '../temporal/run.js';
import { serverOfSeed } from '../temporal/server.js';

/** The primitives of `@temporalio/workflow` that the product's workflows use, over the seed's server. */
export { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
export { proxyActivities, proxyActivities as proxyLocalActivities } from '../temporal/proxy-activities.js';

export const ParentClosePolicy = { ABANDON: 'ABANDON' } as const;
export const ChildWorkflowCancellationType = { ABANDON: 'ABANDON' } as const;
export const ActivityCancellationType = { WAIT_CANCELLATION_COMPLETED: 'WAIT_CANCELLATION_COMPLETED' } as const;

interface Named {
  type: 'signal' | 'query';
  name: string;
}

export const defineSignal = (name: string): Named => ({ type: 'signal', name });
export const defineQuery = (name: string): Named => ({ type: 'query', name });

export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error instanceof CancelledFailure || isCancellation(error.cause));
}

export class CancellationScope {
  private readonly scope: Scope;

  constructor({ cancellable = true }: { cancellable?: boolean } = {}) {
    this.scope = { isCancellable: cancellable, isRequested: false, onCancel: new Set() };
  }

  static current(): { consideredCancelled: boolean; cancelRequested: Promise<never> } {
    const run = currentRun();
    const scope = scopeOf(run);
    const cancelRequested = new Promise<never>((_, reject) => {
      scope.onCancel.add(reject);
    });
    cancelRequested.catch(() => undefined);
    return { consideredCancelled: isCancelled(scope), cancelRequested };
  }

  static nonCancellable<T>(work: () => Promise<T>): Promise<T> {
    return new CancellationScope({ cancellable: false }).run(work);
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const { scopes } = currentRun();
    scopes.push(this.scope);
    try {
      return await work();
    } finally {
      scopes.splice(scopes.indexOf(this.scope), 1);
    }
  }

  cancel(): void {
    cancelScope(this.scope);
  }
}

export function setHandler(definition: Named, handler: (...inputs: never[]) => unknown): void {
  const run = currentRun();
  const key = definition.type === 'query' ? `query:${definition.name}` : definition.name;
  run.handlers.set(key, handler as (...inputs: unknown[]) => unknown);
  const waiting = run.buffered.filter((signal) => signal.name === key);
  run.buffered = run.buffered.filter((signal) => signal.name !== key);
  for (const signal of waiting) handleSignal(run, key, signal.inputs);
}

export function workflowInfo(): { historyLength: number; workflowId: string; startTime: Date } {
  const run = currentRun();
  return { historyLength: run.historyLength, workflowId: run.id, startTime: new Date(EPOCH_MS + run.startedAtMs) };
}

export function allHandlersFinished(): boolean {
  return currentRun().openHandlers === 0;
}

export async function sleep(duration: number | string): Promise<void> {
  const run = currentRun();
  await waiting<void>(run, (resolve) => {
    run.historyLength += 2;
    return sim().scheduler.after(msOf(duration), () => serverOfSeed().tell(run, resolve));
  });
}

export async function condition(isMet: () => boolean, timeout?: number | string): Promise<boolean> {
  const run = currentRun();
  return waiting<boolean>(run, (resolve) => {
    if (isMet()) {
      resolve(true);
      return () => undefined;
    }
    const entry = { isMet, resolve: () => finish(true) };
    const stopTimer =
      timeout === undefined
        ? undefined
        : sim().scheduler.after(msOf(timeout), () => serverOfSeed().tell(run, () => finish(false)));
    const finish = (value: boolean): void => {
      stopTimer?.();
      run.conditions.delete(entry);
      resolve(value);
    };
    run.conditions.add(entry);
    return () => {
      stopTimer?.();
      run.conditions.delete(entry);
    };
  });
}

/** Every run of the simulation is of this build. */
export function patched(_id: string): boolean {
  return true;
}

export function continueAsNew(input: unknown): Promise<never> {
  return Promise.reject(new ContinueAsNewRequest(cloneJson(input)));
}

interface ChildOptions {
  workflowId: string;
  args: unknown[];
}

export function startChild(type: string, { workflowId, args }: ChildOptions): Promise<void> {
  const run = currentRun();
  const server = serverOfSeed();
  const [input] = cloneJson(args);
  return waiting<void>(run, (resolve, reject) => {
    run.commands.push({
      startsChild: true,
      send: () => {
        run.historyLength += 2;
        sim().scheduler.after(server.latencyMs(), () => {
          const isNew = server.start(type, workflowId, input);
          server.tell(run, () =>
            isNew ? resolve() : reject(new WorkflowExecutionAlreadyStartedError('it is open', workflowId, type)),
          );
        });
      },
    });
    return () => undefined;
  });
}

/** Its end is waited for; what it gives is nobody's business here. */
export async function executeChild(type: string, options: ChildOptions): Promise<void> {
  await startChild(type, options);
  const run = currentRun();
  const server = serverOfSeed();
  await waiting<void>(run, (resolve) => {
    server.whenEnded(options.workflowId, () => {
      run.historyLength += 1;
      server.tell(run, resolve);
    });
    return () => undefined;
  });
}

export function getExternalWorkflowHandle(id: string) {
  return {
    signal: (definition: Named, ...inputs: unknown[]): Promise<void> =>
      toOther(
        id,
        (server, copy) => {
          const isHeard = server.signal(id, definition.name, copy);
          if (sim().random.chance(server.options.faults.duplicate)) server.signal(id, definition.name, copy);
          return isHeard;
        },
        inputs,
      ),
    cancel: (): Promise<void> => toOther(id, (server) => server.cancel(id), []),
  };
}

function toOther(
  id: string,
  send: (server: ReturnType<typeof serverOfSeed>, copy: unknown[]) => boolean,
  inputs: unknown[],
): Promise<void> {
  const run = currentRun();
  const server = serverOfSeed();
  const copy = cloneJson(inputs);
  return waiting<void>(run, (resolve, reject) => {
    run.commands.push({
      startsChild: false,
      send: () => {
        run.historyLength += 2;
        sim().scheduler.after(server.latencyMs(), () => {
          const isHeard = send(server, copy);
          server.tell(run, () => (isHeard ? resolve() : reject(new Error(`no workflow '${id}'`))));
        });
      },
    });
    return () => undefined;
  });
}
