import {
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  type SignalDefinition,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import type { SemaphoreInput, SemaphoreState } from '../src/contract/semaphore.js';
import type { SemaphoreView } from '../src/contract/semaphore-view.js';
import type { Breaker } from '../src/domain/kind.js';
import { expectedRender } from './cap.js';
import { takeBack } from './heirs.js';
import * as permits from './permits.js';
import { homeProxy } from './proxies.js';
import { openRoutine } from './routine.js';
import { viewOf } from './semaphore-view.js';
import * as holders from './semaphore-work.js';

/** Far below the server's limit: a new worker replays a whole run within one workflow task, on a busy machine too. */
const EVENTS_MAX = 1_200;
const READ_EVERY_MS = 60_000;
const DISCOUNTS_EVERY_MS = 300_000;
const SWEEP_EVERY_MS = 60_000;
/** What could not be read is tried again this often while work waits. */
const UNREAD_EVERY_MS = 15_000;

/** One per account: hands out the plan's simultaneous jobs as numbered grants, and takes each back once. */
export async function semaphore(input: SemaphoreInput): Promise<void> {
  const { account, timeScale, eventsMax = EVENTS_MAX } = input;
  const state = holders.openState(input);
  const routine = openRoutine(state.dueMs);
  let ready = input.state !== undefined;
  let dirty = true;
  let isHandOverDue = false;
  // A run that hands over waits for no read: the next one makes it again.
  let readDue = input.state !== undefined;
  let telling = 0;
  let alarmMs: number | undefined;
  const watch = holders.openAccountWatch(input, state, touch);
  listen();
  if (!ready) await getReady();
  let kept = '[]';
  watchOver();

  for (;;) {
    dirty = false;
    const now = Date.now();
    permits.releaseDue(state, now);
    for (const grant of permits.grantNext(state, now)) inBackground(tell(grant, true));
    inBackground(holders.tellHeirs(input, state));
    lookAround();
    if (isHandOverDue) break;
    wakeAt(permits.nextDueMs(state, Date.now()));
    await condition(() => dirty || readDue);
  }
  void routine.end();
  await handOver(input, state, () => allHandlersFinished() && telling === 0);

  function touch(): void {
    dirty = true;
    isHandOverDue ||= isLong(eventsMax);
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
    change(messages.withdraw, ({ job }) => {
      if (patched('withdraw-gives-back')) permits.leave(state, job, Date.now());
      else permits.withdraw(state, job);
    });
    change(messages.submitted, ({ grant }) => permits.submitted(state, grant, Date.now()));
    change(messages.release, (message) => {
      takeBack(state, message, Date.now());
      if (message.overCap) readDue = true;
    });
    change(messages.caseOpened, (opened) => permits.caseOpened(state, opened, Date.now()));
    change(messages.caseEnded, (ended) => permits.caseEnded(state, ended, Date.now()));
    change(messages.pauseGrants, (reason) => permits.pause(state, reason, Date.now()));
    change(messages.resumeGrants, (which) => permits.resume(state, which));
    setHandler(messages.limitsRefused, () => {
      readDue = true;
      touch();
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

  /** Each of these asks for one thing alone, so that a hand-over need not wait for it. */
  function watchOver(): void {
    const every = (ms: number): number => Math.max(2_000, ms / timeScale);
    routine.repeat('caps', every(READ_EVERY_MS), busy, readCaps);
    const isUnread = () => busy() && state.unread.credits !== undefined;
    routine.repeat('unread', every(UNREAD_EVERY_MS), isUnread, readCaps);
    routine.repeat('discounts', every(DISCOUNTS_EVERY_MS), busy, watch.readDiscounts);
    const isCutOff = () => holders.isCutOff(state);
    routine.repeat('network', every(0), isCutOff, () => holders.waitForNetwork(account, state).then(touch));
    routine.repeat(
      'sweep',
      every(SWEEP_EVERY_MS),
      () => permits.mayBeGone(state),
      () => holders.sweep(account, state).then(touch),
    );
  }

  async function keepBreakers(): Promise<void> {
    // A wiped server must remember them.
    kept = JSON.stringify(lasting());
    await homeProxy(account).keepBreakers({ breakers: lasting() });
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
    if (await holders.tellGrant(grant, { grant: grant.grant, expected: expectedRender(state, grant) }, isFresh)) return;
    // So says a worker of the build before of a job that is gone; what is no fresh grant is the sweep's to judge.
    if (isFresh && (await holders.lookAfter(account, state, grant.grant))) touch();
  }

  function readCaps(): Promise<void> {
    readDue = false;
    return watch.readCaps();
  }
}

/** Never asked after a local activity: with a query between, a replay sees its answer with another length of the history. */
function isLong(eventsMax: number): boolean {
  return workflowInfo().historyLength >= eventsMax;
}

/** A local activity's answer comes before the rest of its task, which a run that ends on it loses: it ends on its own task. */
async function handOver(input: SemaphoreInput, state: SemaphoreState, isSettled: () => boolean): Promise<never> {
  do {
    await condition(isSettled);
    await sleep(1);
  } while (!isSettled());
  permits.dropOver(state, Date.now());
  return continueAsNew<typeof semaphore>({ ...input, countsHeld: true, namesHeirs: true, forgives: true, state });
}
