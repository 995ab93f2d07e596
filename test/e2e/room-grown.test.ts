// A budget that is raised while the batch looks for rows that fit the old one (design 8, `limits`).
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handed } from '../../activities/dependencies.js';
import { setBudget } from '../../src/contract/messages.js';
import { batchId } from '../../src/contract/names.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { createFolderStore } from '../../src/store/folder.js';
import { type StoredHistory, storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const TOO_LITTLE = 1;
const ENOUGH = 100e9;

describe.skipIf(!hasTemporal())('a budget that grows while a page is read', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it('does not end the batch that the page did not fit before', async () => {
    const page = heldPage();
    const stack = await startStack({ temporal, account: 'room-grown', speed: 100, wrap: page.wrap });
    try {
      await stack.startWorker();
      const { home } = openAccountRecords(createFolderStore(stack.settings.home), stack.settings.account);
      const facts = await stack.seed('b', [filmRow('f0'), filmRow('f1')]);
      const order = async (maxCreditsNano: number) => {
        const limits = { maxCreditsNano, maxFailures: null };
        const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
        await writeBatchOrder(home, 'b', { limits, policy, retry: null, generation: facts.generation });
        return limits;
      };
      await stack.supply('b', facts, { limits: await order(TOO_LITTLE) });
      await until(page.isRead);
      const batch = temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b'));
      await batch.signal(setBudget, await order(ENOUGH));
      await until(async () => isTaken(await batch.fetchHistory()));
      page.open();
      expect(await stack.result('b')).toMatchObject({ counts: { done: 2 } });
      const named = `WorkflowId = '${batch.workflowId}'`;
      recordHistories('batch-room-grown', await storedHistories(temporal.client, named));
    } finally {
      page.open();
      await stack.stop();
    }
  });
});

/** Holds the first page once its limits were read, until it is let through. */
function heldPage() {
  let isRead = false;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const wrap = (handed: Handed): Handed => {
    const { records } = handed;
    const readRecord: typeof records.readRecord = async (batch, id) => {
      isRead = true;
      await opened;
      return records.readRecord(batch, id);
    };
    return { ...handed, records: { ...records, readRecord } };
  };
  return { wrap, isRead: () => isRead, open: () => open() };
}

/** The batch has heard of its new budget. */
function isTaken({ events }: StoredHistory['history']): boolean {
  const told = (events ?? []).findLastIndex(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === setBudget.name,
  );
  return told >= 0 && (events ?? []).slice(told).some((event) => event.workflowTaskCompletedEventAttributes);
}
