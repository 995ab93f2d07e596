import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '../aliases/client.js';
import { EPOCH_MS, inHost } from '../engine/current.js';
import type { Random } from '../engine/random.js';
import type { Server } from '../temporal/server.js';

interface SignalledStart {
  workflowId: string;
  args: unknown[];
  signal: { name: string };
}

/** A Temporal client over the seed's server, as far as the product's messenger uses one; calls take time and fail. */
export function createTemporalClient(server: Server, random: Random, failure: number): Client {
  const call = <T>(effect: () => T): Promise<T> => {
    const fails = random.chance(failure);
    return inHost(server.latencyMs(), () => {
      if (fails) throw new Error('the server could not be reached');
      return effect();
    });
  };
  const orNotFound = (isHeard: boolean): void => {
    if (!isHeard) throw new WorkflowNotFoundError('no such workflow');
  };
  const workflow = {
    start: (type: string, { workflowId, args }: { workflowId: string; args: unknown[] }) =>
      call(() => {
        server.start(type, workflowId, args[0]);
      }),
    signalWithStart: (type: string, { workflowId, args, signal }: SignalledStart) =>
      call(() => {
        server.start(type, workflowId, args[0]);
        server.signal(workflowId, signal.name, []);
      }),
    getHandle: (id: string) => ({
      signal: (definition: { name: string }, ...inputs: unknown[]) =>
        call(() => orNotFound(server.signal(id, definition.name, inputs))),
      cancel: () => call(() => orNotFound(server.cancel(id))),
      describe: () =>
        call(() => {
          const startedMs = server.startedMs(id);
          if (startedMs === undefined) throw new WorkflowNotFoundError('no such workflow');
          const name = server.isOpen(id) ? 'RUNNING' : 'COMPLETED';
          return { status: { name }, startTime: new Date(EPOCH_MS + startedMs) };
        }),
    }),
  };
  return { workflow } as unknown as Client;
}
