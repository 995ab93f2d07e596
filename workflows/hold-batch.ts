import { condition, getExternalWorkflowHandle, patched, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { semaphoreId } from '../src/contract/names.js';
import type { PageEntry, PageResult } from '../src/contract/pages.js';
import type { BatchInput, BatchState } from '../src/contract/workflows.js';
import * as window from './batch-state.js';
import { hasRoomFor } from './budget.js';
import { blockedOf, forgetBlocked, noteBlocked } from './open-row.js';
import { homeProxy } from './proxies.js';

/** What keeps a batch from submitting anything new: its user, or finished files that cannot be stored. */
export interface Hold {
  /** Holds the batch while something finished cannot be stored; it goes on by itself once all of it is. */
  review(): Promise<void>;
  /** A pause ends with its batch: the next run of it is another order. */
  end(): Promise<void>;
}

/** Opens the batch's dealings with pauses; `touch` wakes its loop. */
export function openHold({ account, batch }: BatchInput, state: BatchState, touch: () => void): Hold {
  setHandler(messages.pauseBatch, () => setPaused(true));
  setHandler(messages.resumeBatch, async () => {
    forgetBlocked(state);
    await review();
    await setPaused(false);
  });
  setHandler(messages.outputBlocked, async (what) => {
    noteBlocked(state, what);
    await review();
  });
  return {
    review,
    async end() {
      if (state.paused) await setPaused(false);
    },
  };

  async function setPaused(paused: boolean): Promise<void> {
    state.paused = paused;
    await tell('user', paused, {});
  }

  async function review(): Promise<void> {
    const blocked = blockedOf(state);
    const paused = blocked !== null;
    if (paused === (state.outputsPaused ?? false)) return;
    state.outputsPaused = paused;
    const id = blocked?.id === null ? undefined : blocked?.id;
    await tell('outputs', paused, { ...(blocked && { code: blocked.code }), ...(id === undefined ? {} : { id }) });
  }

  async function tell(reason: 'user' | 'outputs', paused: boolean, what: { code?: string; id?: string }) {
    touch();
    window.addEvent(state, { atMs: Date.now(), type: paused ? 'paused' : 'resumed', reason, ...what });
    const semaphore = getExternalWorkflowHandle(semaphoreId(account));
    const send = () =>
      paused
        ? semaphore.signal(messages.pauseGrants, { reason, batch })
        : semaphore.signal(messages.resumeGrants, { reason, batch });
    try {
      await send();
    } catch {
      // None runs, as after a lost server, or while it starts over: the batch must not end for that.
      await homeProxy(account).ensureSemaphore();
      await send();
    }
  }
}

/** True where a row that is paid again has taken the room that rows were looked for: they are looked for anew. */
export function isRoomTaken(state: BatchState, found: readonly PageEntry[]): boolean {
  return !hasRoomFor(state, found) && patched('room-of-page');
}

const HELD_MS = 15_000;

/**
 * True when a page brought no rows because of what stands in the home: other limits, which are taken over, or a pause
 * that this batch was not told of, or not yet. It is asked again as soon as `isWoken`, or a little later.
 */
export async function isHeld(
  state: BatchState,
  { limits, isPaused }: Pick<PageResult, 'limits' | 'isPaused'>,
  isWoken: () => boolean,
): Promise<boolean> {
  if (limits !== undefined) state.limits = limits;
  if (isPaused) await condition(isWoken, HELD_MS);
  return limits !== undefined || isPaused === true;
}
