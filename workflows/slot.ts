import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { StandsBy } from '../src/contract/attempts.js';
import * as messages from '../src/contract/messages.js';
import { semaphoreId } from '../src/contract/names.js';
import type { Granted, Release } from '../src/contract/semaphore.js';
import type { JobInput } from '../src/contract/workflows.js';
import type { RenderTimes } from '../src/domain/render-times.js';
import { homeProxy, localProxy } from './proxies.js';

/** One of the plan's simultaneous jobs (or of the few without a slot) as a job workflow sees it. */
export interface Slot {
  /**
   * Waits for a grant. `holds`: an attempt of this row is already at the service, so it has its slot. False when the
   * history has grown long by waiting: the job hands over to a new run, which asks again.
   */
  acquire(holds: boolean): Promise<boolean>;
  /** How an activity may ask for the job's first slot; undefined once that was asked for. */
  mayAsk(): StandsBy | undefined;
  /** An activity has asked, and the next submit stands by. */
  asked(): void;
  /** The first submit of the job waits for the grant itself. */
  standsBy(): StandsBy | undefined;
  /** That submit has ended, with the grant if one came. */
  stoodBy(granted: Granted | undefined): void;
  /** Ends the wait of that submit, unless its grant has come. */
  endStandby(): Promise<void>;
  /** The grant in hand, for the activities that give it back themselves. */
  grant(): number | null;
  /** An activity has given the grant back. */
  released(): void;
  /** Gives the grant back, without waiting for it to arrive; does nothing without one. */
  release(how?: Omit<Release, 'grant'>): void;
  /** Leaves the queue, and gives back a grant that came meanwhile. */
  withdraw(): Promise<void>;
  /** Waits until what was given back has arrived. */
  settled(): Promise<void>;
  expected(): RenderTimes | null;
}

/** How long a job waits before it asks again: a lost message must not stall it for ever. */
const ASK_AGAIN = '60 s';
/** One whose batch has asked for it, sooner: where the job starts over, nobody has asked for this run. */
const ASKED_FOR = '15 s';
/** Far below what the server allows: a pause may last for weeks. */
export const EVENTS_MAX = 1_500;

/** Opens the job's dealings with its account's semaphore. */
export function openSlot({ account, row, policy, isAsked, standsBy, isFed }: JobInput): Slot {
  const job = { batch: row.batch, id: row.id };
  const semaphore = getExternalWorkflowHandle(semaphoreId(account));
  let grant: number | undefined;
  /** By their numbers: those of a semaphore that begins anew after the clock was set back are lower ones. */
  const returned = new Set<number>();
  let expected: RenderTimes | null = null;
  let givingBack: Promise<void> = Promise.resolve();
  let isWaitedFor = isAsked === true && standsBy !== true;
  let isStandingBy = standsBy === true;
  let wasAsked = isAsked === true;
  const how: StandsBy = { ...(policy.ambiguity !== 'hold' ? { apart: true } : {}), ...(isFed ? { isFed } : {}) };

  const take = (message: Granted): void => {
    // A grant that was given back already is told twice when its acquire was repeated.
    if (returned.has(message.grant)) return;
    grant = message.grant;
    wasAsked = true;
    expected = message.expected;
  };
  setHandler(messages.granted, take);

  return {
    mayAsk: () => (wasAsked ? undefined : how),
    asked() {
      wasAsked = true;
      isStandingBy = true;
    },
    standsBy: () => (isStandingBy && grant === undefined ? how : undefined),
    stoodBy(granted) {
      isStandingBy = false;
      if (granted) take(granted);
    },
    async endStandby() {
      const granted = await localProxy().endStandby(job);
      if (granted) take(granted);
    },
    async acquire(holds) {
      if (grant !== undefined) return true;
      // An acquire that overtakes a release would be told the grant that is just going back.
      await givingBack;
      for (;;) {
        const wait = isWaitedFor ? ASKED_FOR : ASK_AGAIN;
        if (!isWaitedFor) await ask(holds);
        isWaitedFor = false;
        if (await condition(() => grant !== undefined, wait)) return true;
        if (!holds && workflowInfo().historyLength >= EVENTS_MAX) return false;
      }
    },
    grant: () => grant ?? null,
    released() {
      if (grant === undefined) return;
      returned.add(grant);
      grant = undefined;
    },
    release(how = {}) {
      if (grant === undefined) return;
      const message = { grant, ...how };
      this.released();
      givingBack = tell(() => semaphore.signal(messages.release, message));
    },
    async withdraw() {
      await tell(() => semaphore.signal(messages.withdraw, { job }));
      this.release();
    },
    settled: () => givingBack,
    expected: () => expected,
  };

  async function ask(holds: boolean): Promise<void> {
    const asked = { job, kind: row.kind, holds, ...how };
    try {
      await semaphore.signal(messages.acquire, asked);
    } catch {
      // No semaphore runs (first job of the account, or a wiped server): start it and ask again.
      await homeProxy(account).ensureSemaphore();
      await semaphore.signal(messages.acquire, asked);
    }
  }

  /** A semaphore that is gone has nothing to take back: its successor reads the ledger. */
  async function tell(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch {
      await homeProxy(account).ensureSemaphore();
    }
  }
}
