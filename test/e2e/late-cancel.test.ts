// A retry that comes while a cancel still settles (design 10): every row ends by the newer order.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelBatch, semaphoreView } from '../../src/contract/messages.js';
import { batchId, semaphoreId } from '../../src/contract/names.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { createFolderStore } from '../../src/store/folder.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

describe.skipIf(!hasTemporal())('a retry while a cancel settles', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it('6-O10: runs every row, also those that the cancel ended after it was ordered', async () => {
    const stack = await startStack({ temporal, account: 'late', speed: 100 });
    try {
      await stack.startWorker();
      const { account } = stack.settings;
      const { home } = openAccountRecords(createFolderStore(stack.settings.home), account);
      const limits = { maxCreditsNano: null, maxFailures: null };
      const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
      const rows = Array.from({ length: 16 }, (_, i) => filmRow(`f${i}`));
      const facts = await stack.seed('b', rows);
      const { generation } = facts;
      await writeBatchOrder(home, 'b', { limits, policy, retry: null, generation });
      await stack.supply('b', facts);
      await until(() => stack.emulator.truth().jobs.length >= 2);
      const retry = { beforeMs: Date.now(), classes: [] };
      await markCancelled(home, 'b', Date.now());
      await temporal.client.workflow.getHandle(batchId(account, 'b')).signal(cancelBatch);
      await writeBatchOrder(home, 'b', { limits, policy, retry, generation });
      await stack.supply('b', facts, { retry });
      const { counts } = await stack.result('b');
      expect(counts).toMatchObject({ done: 16, cancelled: 0 });
      expect(stack.emulator.truth().jobs).toHaveLength(16);
      const named = `WorkflowId = '${batchId(account, 'b')}'`;
      recordHistories('batch-late-cancel', await storedHistories(temporal.client, named));
    } finally {
      await stack.stop();
    }
  });

  it('rows that wait for a slot leave the queue, and no slot stays with a row that is gone (I5)', async () => {
    const stack = await startStack({ temporal, account: 'leaving', speed: 100 });
    try {
      await stack.startWorker();
      const { account } = stack.settings;
      const { home } = openAccountRecords(createFolderStore(stack.settings.home), account);
      await stack.supply(
        'b',
        await stack.seed(
          'b',
          Array.from({ length: 16 }, (_, i) => filmRow(`f${i}`)),
        ),
      );
      await until(() => stack.emulator.truth().jobs.length >= 2);
      await markCancelled(home, 'b', Date.now());
      await temporal.client.workflow.getHandle(batchId(account, 'b')).signal(cancelBatch);
      const { counts } = await stack.result('b');
      expect(counts.cancelled).toBeGreaterThan(0);
      const semaphore = temporal.client.workflow.getHandle(semaphoreId(account));
      const { holders, waiting } = await semaphore.query(semaphoreView);
      expect([holders, waiting]).toEqual([[], 0]);
      const named = `WorkflowId = '${semaphoreId(account)}'`;
      recordHistories('semaphore-left', await storedHistories(temporal.client, named));
    } finally {
      await stack.stop();
    }
  });
});
