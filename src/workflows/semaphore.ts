import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import * as messages from '../contract/messages.js';
import { jobId } from '../contract/names.js';
import type { SemaphoreInput, SemaphoreState, SemaphoreView } from '../contract/semaphore.js';
import * as permits from './permits.js';
import { accountProxy, homeProxy } from './proxies.js';

/** One run hands over before the server would insist. */
const EVENTS_MAX = 3_500;
const READ_EVERY_MS = 60_000;
const DISCOUNTS_EVERY_MS = 300_000;
const SWEEP_EVERY_MS = 60_000;

/** One per account: hands out the plan's simultaneous jobs as numbered grants, and takes each back once. */
export async function semaphore(input: SemaphoreInput): Promise<void> {
  const { account, timeScale, eventsMax = EVENTS_MAX } = input;
  const state = input.state ?? permits.newPermits(30_000 / timeScale, Date.now());
  const home = homeProxy(account);
  let ready = input.state !== undefined;
  let dirty = true;
  let readDue = input.state === undefined;
  let telling = 0;
  const touch = (): void => {
    dirty = true;
  };

  setHandler(messages.acquire, async (ask) => {
    // The balance is read when work begins after a quiet time: the credits check starts from it.
    if (!busy()) readDue = true;
    const grant = permits.acquire(state, ask, Date.now());
    touch();
    if (grant) await tell(grant);
  });
  setHandler(messages.withdraw, ({ job }) => permits.withdraw(state, job));
  setHandler(messages.submitted, ({ grant }) => permits.submitted(state, grant));
  setHandler(messages.release, (message) => {
    permits.release(state, message, Date.now());
    if (message.overCap) readDue = true;
    touch();
  });
  setHandler(messages.resize, ({ concurrent }) => {
    state.planCap = concurrent;
    touch();
  });
  setHandler(messages.pauseGrants, (reason) => {
    permits.pause(state, reason, Date.now());
    touch();
  });
  setHandler(messages.resumeGrants, (which) => {
    permits.resume(state, which);
    touch();
  });
  setHandler(messages.semaphoreView, (): SemaphoreView => view(state, ready));

  if (!ready) {
    await recoverHolders();
    await readCaps();
    await accountProxy(account, 'routine').readDiscounts();
    ready = true;
  }
  background(READ_EVERY_MS, busy, readCaps);
  background(DISCOUNTS_EVERY_MS, busy, () => accountProxy(account, 'routine').readDiscounts());
  background(SWEEP_EVERY_MS, () => state.waiting.length > 0 && state.holders.length > 0, sweep);

  for (;;) {
    dirty = false;
    const now = Date.now();
    permits.releaseDue(state, now);
    for (const grant of permits.grantNext(state, now)) inBackground(tell(grant));
    if (readDue) inBackground(readCaps());
    if (workflowInfo().historyLength >= eventsMax) break;
    const due = permits.nextDueMs(state, Date.now());
    const woken = (): boolean => dirty || readDue || workflowInfo().historyLength >= eventsMax;
    if (due === undefined) await condition(woken);
    else await condition(woken, Math.max(1, due - Date.now()));
  }
  await condition(() => allHandlersFinished() && telling === 0);
  await continueAsNew<typeof semaphore>({ ...input, state });

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

  async function tell(grant: permits.Grant): Promise<void> {
    const job = getExternalWorkflowHandle(jobId(account, grant.job.batch, grant.job.id));
    try {
      await job.signal(messages.granted, { grant: grant.grant, expected: permits.expectedRender(state, grant.kind) });
    } catch {
      // The job is gone. A fresh grant has sent nothing, so its slot is free; any other is the sweep's to judge.
      const holder = state.holders.find((h) => h.grant === grant.grant);
      if (holder?.phase === 'granted') permits.release(state, { grant: grant.grant }, Date.now());
      touch();
    }
  }

  async function recoverHolders(): Promise<void> {
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof home.recoverOpen>> = await home.recoverOpen({ from: cursor });
      for (const found of page.holders) permits.recover(state, found);
      cursor = page.next;
    }
  }

  async function readCaps(): Promise<void> {
    readDue = false;
    const reading = await accountProxy(account, 'routine').readAccount({ maxAgeMs: 10_000 / timeScale });
    state.planCap = reading.concurrent;
    for (const paused of [...state.pauses]) {
      // A read that was answered proves the key; the balance must have changed since the refusal (or suffice now).
      const enough =
        reading.balanceNano !== null &&
        (paused.needNano !== undefined
          ? reading.balanceNano >= paused.needNano
          : reading.balanceNano > (paused.balanceNano ?? 0));
      if (paused.reason === 'key' || (paused.reason === 'credits' && enough)) permits.resume(state, paused);
    }
    touch();
  }

  async function sweep(): Promise<void> {
    const asked = state.holders.map((h) => h.job).slice(0, 20);
    for (const { job, action } of await home.sweepHolders({ jobs: asked })) {
      const holder = state.holders.find((h) => permits.sameJob(h.job, job));
      if (holder && holder.releaseAtMs === undefined && action === 'free') {
        permits.release(state, { grant: holder.grant }, Date.now());
      }
    }
    touch();
  }

  /** Repeats a task while there is something to do; a quiet account costs no event. */
  function background(everyMs: number, when: () => boolean, task: () => Promise<void>): void {
    void (async () => {
      for (;;) {
        await condition(when);
        await sleep(Math.max(2_000, everyMs / timeScale));
        if (when()) await task();
      }
    })();
  }
}

function view(state: SemaphoreState, ready: boolean): SemaphoreView {
  return {
    planCap: state.planCap,
    effectiveCap: permits.effectiveCap(state, Date.now()),
    holders: state.holders,
    waiting: state.waiting.length,
    pauses: state.pauses,
    ready,
  };
}
