import { condition, patched } from '@temporalio/workflow';
import type * as messages from '../src/contract/messages.js';
import type { BatchInput, BatchState } from '../src/contract/workflows.js';
import type { StopReason } from '../src/domain/batch.js';
import { defined } from '../src/domain/defined.js';
import { cancelJobs } from './batch-jobs.js';
import * as window from './batch-state.js';
import { homeProxy } from './proxies.js';

/** Whoever let a batch go on tells it so at once, unless that process died. */
const LIFTED_MS = 15_000;

/** How a batch ends what it has not begun, after a cancel or a stop of its own: its jobs are asked once. */
export interface Drain {
  run(): Promise<void>;
  isDone(): boolean;
  /** By an order since they were asked: the next time they are asked anew. */
  again(): void;
}

export function openDrain(
  { account, batch }: BatchInput,
  state: BatchState,
  goOn: (order: Pick<messages.Supply, 'lifted'>) => void,
): Drain {
  let isDone = false;
  return {
    async run() {
      window.endRest(state);
      if (isDone) return;
      isDone = true;
      // Before the jobs are asked: they then say why they were not started.
      if (state.stopped !== null) await markStopped(state.stopped);
      // Its user has let it go on meanwhile.
      if (!window.isDraining(state) && patched('stop-lifted')) return;
      await cancelJobs(account, state.open);
    },
    isDone: () => isDone,
    again() {
      isDone = false;
    },
  };

  async function markStopped(reason: StopReason): Promise<void> {
    const marked = await homeProxy(account).markStopped({ batch, reason, ...defined({ under: state.lifted }) });
    // Undefined from a worker of the build before.
    if (marked?.lifted === undefined) return;
    if (await condition(() => state.stopped === null || state.cancelling, LIFTED_MS)) return;
    goOn({ lifted: marked.lifted });
  }
}
