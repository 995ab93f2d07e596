import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { Books } from '../books/open-books.js';
import { semaphoreView } from '../contract/messages.js';
import { batchId, semaphoreId, taskQueues } from '../contract/names.js';
import type { NoticeTarget } from '../domain/notice.js';
import { readBatchOrder } from '../home/batch-order.js';
import { landedBatches } from '../home/late-outputs.js';
import { type NoticeWait, openNotices, waitOf } from '../home/notices.js';
import { createDelivery } from '../notices/deliver.js';
import { isEndTold, lateToTell, type Told, type ToTell, toTell } from '../notices/derive.js';
import { createBatchSight } from './batch-sight.js';

/** What is to be told of a batch beside what was told. */
type Look = (told: Told) => Promise<ToTell>;

/** Tells of an account's batches by what Temporal and the home say of them: no workflow knows of notices. */
export interface BatchNotices {
  /** Looks once at the batches that run and that have ended, and sends what is due. */
  look(): Promise<void>;
  /** Notices that still have to arrive. */
  pending(): number;
  /** The account goes on with other settings. */
  adopted(): void;
  /** Nothing more is sent from here: what waits in the home is sent by who serves the account next. */
  end(): void;
}

/** A server may be behind with what it lists. */
const LATE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** The home has no more of such a target than its mark. */
const UNNAMED = 'a target that no settings name';

export function createBatchNotices(client: Client, books: Books): BatchNotices {
  const { home, log, now } = books;
  const { account } = books.settings;
  const targets = (): readonly NoticeTarget[] => books.settings.notices ?? [];
  const notices = openNotices(home);
  const delivery = createDelivery({ notices, targets, log, now });
  const { seenEnd, seenRunning, forgetOthers } = createBatchSight(client, books);
  /** Batches that could not be looked at the last time. */
  const failing = new Set<string>();
  const prefix = batchId(account, '');
  const mine = `WorkflowType = 'batch' AND TaskQueue = '${taskQueues(account).home}'`;
  let lookedMs: number | undefined;
  /** When a target was first named: what ended before is nobody's news. */
  let namedMs: number | undefined;
  let isNobodySaid = false;
  adopted();

  return {
    pending: () => delivery.pending(),
    adopted,
    end: delivery.end,
    async look() {
      try {
        if (namedMs !== undefined && targets().length > 0) await gather(namedMs);
        else await sayNobodyNamed();
      } finally {
        await delivery.deliver();
      }
    },
  };

  function adopted(): void {
    if (targets().length > 0) namedMs ??= now();
    delivery.wake();
  }

  /** Who was told before this worker may wait in vain. */
  async function sayNobodyNamed(): Promise<void> {
    if (isNobodySaid) return;
    const wasNamed = await notices.wasNamed();
    isNobodySaid = true;
    if (wasNamed) {
      log.warn({ account }, 'no settings name a target any more, so nobody is told of batches: name one again');
    }
  }

  async function gather(firstMs: number): Promise<void> {
    const beganMs = now();
    const lookedBackMs = Math.max(beganMs - DAY_MS, (lookedMs ?? 0) - LATE_MS);
    const sinceMs = Math.max(await notices.since(firstMs), lookedBackMs);
    let isWhole = true;
    const ended = `${mine} AND ExecutionStatus = 'Completed' AND CloseTime >= '${new Date(sinceMs).toISOString()}'`;
    for await (const { workflowId, runId } of client.workflow.list({ query: ended })) {
      const batch = workflowId.slice(prefix.length);
      const look = async (told: Told) => toTell(await seenEnd(batch, workflowId, runId), told);
      isWhole = (await tryToTell(batch, look, runId)) && isWhole;
    }
    const running: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: `${mine} AND ExecutionStatus = 'Running'` })) {
      running.push(workflowId.slice(prefix.length));
    }
    if (running.length > 0) {
      const slots = await client.workflow.getHandle(semaphoreId(account)).query(semaphoreView);
      for (const batch of running)
        await tryToTell(batch, async (told) => toTell(await seenRunning(batch, slots), told));
    }
    // The end of a batch that runs is told first, and says what has not started.
    for (const batch of await landedBatches(home)) {
      if (!running.includes(batch)) await tryToTell(batch, async (told) => lateToTell(told));
    }
    forgetOthers(running);
    // An end that could not be read is looked for again.
    if (isWhole) lookedMs = beganMs;
  }

  /** A batch that cannot be looked at keeps no other one from being told: it is logged once until it can. */
  async function tryToTell(batch: string, look: Look, endedRun?: string): Promise<boolean> {
    try {
      await tell(batch, look, endedRun);
      failing.delete(batch);
      return true;
    } catch (error) {
      if (!failing.has(batch)) log.warn({ batch, error: String(error) }, 'a batch could not be looked at for notices');
      failing.add(batch);
      return false;
    }
  }

  /** First what is to be sent, then that it was told: a crash in between writes the same again. */
  async function tell(batch: string, look: Look, endedRun?: string): Promise<void> {
    const told = await notices.told(batch);
    if (endedRun !== undefined && isEndTold(told.told, endedRun)) return;
    const { tidings, told: after } = await look(told);
    let { next } = told;
    const waits = tidings.length > 0 ? await waitsOf(batch) : [];
    // What nobody is told of is remembered as told all the same: a target that is named later hears of what comes.
    for (const { key, what } of waits.length > 0 ? tidings : []) {
      const id = createHash('sha256').update(`${account}/${batch}/${next}/${key}`).digest('hex').slice(0, 32);
      await notices.add(batch, next, { schema: 1, id, ...what, atMs: now(), account, batch }, waits);
      next += 1;
    }
    const written = { ...told, ...after, next };
    if (isDeepStrictEqual(written, told)) return;
    await notices.writeTold(batch, written);
    if (tidings.length > 0) delivery.wake();
  }

  /** The targets that its command named, also those that no settings name now: they may do so again. */
  async function waitsOf(batch: string): Promise<NoticeWait[]> {
    const known = targets().map(waitOf);
    const named = (await readBatchOrder(home, batch))?.notify;
    if (named === undefined) return known;
    return named.map((mark) => known.find((one) => one.mark === mark) ?? { mark, label: UNNAMED });
  }
}
