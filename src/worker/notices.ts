import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { spentOf } from '../activities/budget.js';
import type { Dependencies } from '../activities/dependencies.js';
import { batchProgress, semaphoreView } from '../contract/messages.js';
import { batchId, semaphoreId, taskQueues } from '../contract/names.js';
import type { SemaphoreView } from '../contract/semaphore.js';
import type { BatchResult } from '../contract/workflows.js';
import { formatCredits } from '../domain/money.js';
import { NO_NOTICES, type NoticeSettings } from '../domain/notice.js';
import { createDelivery } from '../notices/deliver.js';
import { type BatchSeen, tidingsOf, toldAfter } from '../notices/derive.js';
import { readBatchOrder } from '../store/batch-order.js';
import { openNotices } from '../store/notices.js';
import { sampleInForce } from '../store/sample-gate.js';

/** Tells of an account's batches by what Temporal and the home say of them: no workflow knows of notices. */
export interface BatchNotices {
  /** Looks once at the batches that run and that have ended, and sends what is due. */
  look(): Promise<void>;
  /** Notices that still have to arrive. */
  pending(): number;
}

/** A server may be behind with what it lists. */
const LATE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

export function createBatchNotices(client: Client, deps: Dependencies): BatchNotices {
  const { home, log, now } = deps;
  const { account } = deps.settings;
  const settings = (): NoticeSettings => deps.settings.notices ?? NO_NOTICES;
  const notices = openNotices(home);
  const delivery = createDelivery({ notices, settings, log, now });
  /** By batch: how many rows had ended, and when that was seen first. */
  const progress = new Map<string, { rows: number; atMs: number }>();
  const prefix = batchId(account, '');
  const mine = `WorkflowType = 'batch' AND TaskQueue = '${taskQueues(account).home}'`;
  let lookedMs: number | undefined;

  return {
    pending: () => delivery.pending(),
    async look() {
      if (settings().targets.length > 0) await gather();
      await delivery.deliver();
    },
  };

  async function gather(): Promise<void> {
    const beganMs = now();
    const sinceMs = Math.max(await notices.since(beganMs), (lookedMs ?? beganMs - DAY_MS + LATE_MS) - LATE_MS);
    const ended = `${mine} AND ExecutionStatus = 'Completed' AND CloseTime >= '${new Date(sinceMs).toISOString()}'`;
    for await (const { workflowId, runId } of client.workflow.list({ query: ended })) {
      await tell(workflowId.slice(prefix.length), (batch) => seenEnd(batch, workflowId, runId));
    }
    const running: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: `${mine} AND ExecutionStatus = 'Running'` })) {
      running.push(workflowId.slice(prefix.length));
    }
    if (running.length > 0) {
      const slots = await client.workflow.getHandle(semaphoreId(account)).query(semaphoreView);
      for (const batch of running) await tell(batch, () => seenRunning(batch, slots));
    }
    for (const batch of progress.keys()) if (!running.includes(batch)) progress.delete(batch);
    lookedMs = beganMs;
  }

  /** First what is to be sent, then that it was told: a crash in between writes the same again. */
  async function tell(batch: string, look: (batch: string) => Promise<BatchSeen>): Promise<void> {
    const told = await notices.told(batch);
    const tidings = tidingsOf(await look(batch), new Set(told.told));
    if (tidings.length === 0) return;
    let { next } = told;
    for (const { key, what } of tidings) {
      const id = createHash('sha256').update(`${account}/${batch}/${next}/${key}`).digest('hex').slice(0, 32);
      await notices.add(batch, next, { schema: 1, id, ...what, atMs: now(), account, batch }, settings().targets);
      next += 1;
    }
    await notices.writeTold(batch, { ...told, next, told: toldAfter(told.told, tidings) });
    delivery.wake();
  }

  async function seenEnd(batch: string, workflowId: string, run: string): Promise<BatchSeen> {
    const result = (await client.workflow.getHandle(workflowId, run).result()) as BatchResult;
    const generation = await deps.rows.currentGeneration(batch);
    const gate = generation === undefined ? undefined : await sampleInForce(home, batch, generation);
    const end = { run, isSampled: gate !== undefined, stopped: result.stopped ?? null };
    return { ...(await commonOf(batch, result)), pauses: [], quiet: null, end };
  }

  async function seenRunning(batch: string, { pauses }: SemaphoreView): Promise<BatchSeen> {
    const stands = await client.workflow.getHandle(batchId(account, batch)).query(batchProgress);
    const rows = Object.values(stands.counts).reduce((sum, count) => sum + count, 0);
    const before = progress.get(batch);
    const since = before?.rows === rows ? before : { rows, atMs: now() };
    progress.set(batch, since);
    return {
      ...(await commonOf(batch, stands)),
      pauses: pauses.filter((pause) => pause.batch === undefined || pause.batch === batch),
      quiet: { forMs: now() - since.atMs, sinceMs: since.atMs, longestMs: longestMs() },
      end: null,
    };
  }

  /** No row of a batch that does anything takes longer to end. */
  function longestMs(): number {
    const { waits, timeScale } = deps.settings;
    return Math.max(waits.syncMaxMs, ...Object.values(waits.renderMaxMs)) / timeScale;
  }

  async function commonOf(batch: string, stands: Pick<BatchResult, 'counts' | 'creditsNano' | 'creditsUnknown'>) {
    const { counts, creditsNano, creditsUnknown } = stands;
    const maxNano = (await readBatchOrder(home, batch))?.limits.maxCreditsNano ?? null;
    // What nobody can bound has no share of a budget.
    const spent = maxNano === null ? null : await spentOf(deps, batch);
    const budget =
      maxNano === null || spent === null || spent.unbounded > 0 ? null : { spentNano: spent.endedNano, maxNano };
    return { counts, credits: creditsUnknown > 0 ? null : formatCredits(creditsNano), budget };
  }
}
