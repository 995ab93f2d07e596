import {
  allHandlersFinished,
  condition,
  continueAsNew,
  type SignalDefinition,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import type { NowAndThen, SemaphoreInput, SemaphoreState } from '../src/contract/semaphore.js';
import type { SemaphoreView } from '../src/contract/semaphore-view.js';
import type { Breaker } from '../src/domain/kind.js';
import { expectedRender } from './cap.js';
import * as permits from './permits.js';
import { homeProxy } from './proxies.js';
import { viewOf } from './semaphore-view.js';
import * as holders from './semaphore-work.js';
import { openAccountWatch, tellGrant, waitForNetwork } from './semaphore-work.js';

/**
 * One run hands over long before the server would insist: a new worker replays the whole run within one workflow task,
 * and on a busy machine a long one never gets ready in time.
 */
const EVENTS_MAX = 1_200;
const READ_EVERY_MS = 60_000;
const DISCOUNTS_EVERY_MS = 300_000;
const SWEEP_EVERY_MS = 60_000;
/** What could not be read is tried again this often while work waits. */
const UNREAD_EVERY_MS = 15_000;

/** One per account: hands out the plan's simultaneous jobs as numbered grants, and takes each back once. */
export async function semaphore(input: SemaphoreInput): Promise<void> {
  const { account, timeScale, eventsMax = EVENTS_MAX } = input;
  const state = input.state ?? permits.newPermits(30_000 / timeScale, Date.now(), timeScale);
  const home = homeProxy(account);
  let ready = input.state !== undefined;
  let dirty = true;
  // A run that hands over waits for no read: the next one makes it again.
  let readDue = input.state !== undefined;
  let telling = 0;
  let alarmMs: number | undefined;
  const watch = openAccountWatch(input, state, touch);
  listen();
  if (!ready) await getReady();
  let kept = '[]';
  watchOver();

  for (;;) {
    dirty = false;
    const now = Date.now();
    permits.releaseDue(state, now);
    for (const grant of permits.grantNext(state, now)) inBackground(tell(grant, true));
    lookAround();
    if (workflowInfo().historyLength >= eventsMax) break;
    wakeAt(permits.nextDueMs(state, Date.now()));
    await condition(() => dirty || readDue || workflowInfo().historyLength >= eventsMax);
  }
  await condition(() => allHandlersFinished() && telling === 0);
  await continueAsNew<typeof semaphore>({ ...input, state });

  function touch(): void {
    dirty = true;
  }

  function listen(): void {
    const take = async (asks: permits.Ask[]): Promise<void> => {
      // The balance is read when work begins after a quiet time: the credits check starts from it.
      if (!busy()) readDue = true;
      const grants = asks.flatMap((ask) => permits.acquire(state, ask, Date.now()) ?? []);
      touch();
      await Promise.all(grants.map((grant) => tell(grant, false)));
    };
    setHandler(messages.acquire, (ask) => take([ask]));
    setHandler(messages.acquireFor, ({ batch, jobs, ...how }) =>
      take(jobs.map(({ id, kind }) => ({ job: { batch, id }, kind, holds: false, ...how }))),
    );
    const change = <T>(signal: SignalDefinition<[T]>, apply: (message: T) => void): void =>
      setHandler(signal, (message) => {
        apply(message);
        touch();
      });
    change(messages.withdraw, ({ job }) => permits.withdraw(state, job));
    change(messages.submitted, ({ grant }) => permits.submitted(state, grant, Date.now()));
    change(messages.release, (message) => {
      permits.release(state, message, Date.now());
      if (message.overCap) readDue = true;
    });
    change(messages.caseOpened, (opened) => permits.caseOpened(state, opened, Date.now()));
    change(messages.caseEnded, (ended) => permits.caseEnded(state, ended, Date.now()));
    change(messages.pauseGrants, (reason) => permits.pause(state, reason, Date.now()));
    change(messages.resumeGrants, (which) => permits.resume(state, which));
    setHandler(messages.limitsRefused, () => {
      readDue = true;
    });
    setHandler(messages.limitsOrdered, () => {
      state.limitsDue = (state.limitsDue ?? 0) + 1;
      touch();
    });
    setHandler(messages.semaphoreView, (): SemaphoreView => viewOf(state, ready, Date.now()));
  }

  async function getReady(): Promise<void> {
    await holders.recover(account, state);
    await Promise.all([readCaps(), watch.readDiscounts()]);
    ready = true;
  }

  /** None of this keeps a grant or the next run waiting. */
  function lookAround(): void {
    if (readDue) void readCaps();
    if (JSON.stringify(lasting()) !== kept) void keepBreakers();
    watch.probeRecords();
    watch.learnLimits();
  }

  function watchOver(): void {
    background('caps', READ_EVERY_MS, busy, readCaps);
    background('unread', UNREAD_EVERY_MS, () => busy() && state.unread.credits !== undefined, readCaps);
    background('discounts', DISCOUNTS_EVERY_MS, busy, watch.readDiscounts);
    const isCutOff = () => permits.isCutOff(state);
    background('network', 0, isCutOff, () => waitForNetwork(account, state).then(touch));
    const mayBeGone = () => state.waiting.length > 0 && state.holders.length > 0;
    background('sweep', SWEEP_EVERY_MS, mayBeGone, () => holders.sweep(account, state).then(touch));
  }

  async function keepBreakers(): Promise<void> {
    // A wiped server must remember them.
    kept = JSON.stringify(lasting());
    await home.keepBreakers({ breakers: lasting() });
  }

  /** One timer at a time: an earlier one that is due for nothing any more looks again and sets the next. */
  function wakeAt(dueMs: number | undefined): void {
    if (dueMs === undefined || (alarmMs !== undefined && alarmMs <= dueMs)) return;
    alarmMs = dueMs;
    void sleep(Math.max(1, dueMs - Date.now())).then(() => {
      if (alarmMs !== dueMs) return;
      alarmMs = undefined;
      touch();
    });
  }

  function lasting(): Breaker[] {
    return state.breakers.map(({ probe, ...breaker }) => breaker);
  }

  function busy(): boolean {
    return state.holders.length > 0 || state.waiting.length > 0;
  }

  /** Grants are told without waiting, so that one slow signal delays no other; a new run waits for all of them. */
  function inBackground(task: Promise<void>): void {
    telling += 1;
    void task.finally(() => {
      telling -= 1;
    });
  }

  async function tell(grant: permits.Grant, isFresh: boolean): Promise<void> {
    const message = { grant: grant.grant, expected: expectedRender(state, grant.kind) };
    if (await tellGrant(grant, message)) return;
    // The job is gone; told a second time, it may have run by the first. What is no fresh grant is the sweep's to judge.
    if (isFresh) await holders.lookAfter(account, state, grant.grant);
    touch();
  }

  function readCaps(): Promise<void> {
    readDue = false;
    return watch.readCaps();
  }

  /** Repeats a task while there is something to do; a quiet account costs no event. */
  function background(what: NowAndThen, everyMs: number, when: () => boolean, task: () => Promise<void>): void {
    void (async () => {
      for (;;) {
        await condition(when);
        await sleep(dueInMs(state, what, Math.max(2_000, everyMs / timeScale)));
        delete state.dueMs?.[what];
        if (when()) await task();
      }
    })();
  }
}

/** On a busy account a run is shorter than such a wait: the next one waits for what is left of it. */
function dueInMs(state: SemaphoreState, what: NowAndThen, waitMs: number): number {
  state.dueMs ??= {};
  state.dueMs[what] ??= Date.now() + waitMs;
  return Math.max(1, state.dueMs[what] - Date.now());
}
