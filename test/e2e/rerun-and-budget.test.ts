// Another render that a person ordered while the batch's budget is reserved by what still renders (design 10, `rerun`).
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reopen } from '../../src/contract/messages.js';
import { batchId } from '../../src/contract/names.js';
import type { BatchResult } from '../../src/contract/workflows.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { noteReruns } from '../../src/home/row-orders.js';
import { createFolderStore } from '../../src/store/folder.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, startStack, videoRow } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const PRICE_NANO = 400_000_000;
const FAILS = {
  match: { route: 'vendor-a.submit' },
  action: { do: 'end-job', as: 'failed', message: 'no' },
} as const;
/** Room for both rows, and not for a third. */
const LIMITS = { maxCreditsNano: 2.5 * PRICE_NANO, maxFailures: null };

describe.skipIf(!hasTemporal())('a render that is ordered again while nothing of the budget is left', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it('is made once another row has ended for less, and names the budget where none does', async () => {
    const failed = await orderedAgain(temporal, 'rerun-fits', true);
    expect(failed.result).toMatchObject({ counts: { done: 1, failed: 1 } });
    expect(failed.result.stopped).toBeUndefined();
    expect(failed.films).toEqual(['vendor-a/text2video', 'vendor-f/video', 'vendor-f/video']);
    recordHistories('batch-reopened-waits', failed.histories);

    const paid = await orderedAgain(temporal, 'rerun-short', false);
    expect(paid.result.stopped).toBe('budget_reached');
    expect(paid.films).toEqual(['vendor-a/text2video', 'vendor-f/video']);
  });
});

/** Video v1 renders on while film f0, which is done, is ordered again. */
async function orderedAgain(temporal: TestWorkflowEnvironment, account: string, fails: boolean) {
  const stack = await startStack({
    ...{ temporal, account, speed: 60 },
    emulator: { renderSeconds: { 'vendor-f': [60, 60], 'vendor-a': [900, 900] }, faults: fails ? [FAILS] : [] },
  });
  try {
    await stack.startWorker();
    const { home, ledger, records } = openAccountRecords(createFolderStore(stack.settings.home), account);
    const facts = await stack.seed('b', [filmRow('f0'), videoRow('v1', { index: 1 })]);
    const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
    await writeBatchOrder(home, 'b', { limits: LIMITS, policy, retry: null, generation: facts.generation });
    await stack.supply('b', facts, { limits: LIMITS });
    await until(async () => (await stack.record('b', 'f0'))?.status === 'done');
    const by = { who: 'ann' };
    await ledger.append({ batch: 'b', id: 'f0', n: 1 }, { state: 'overridden', atMs: Date.now(), cause: 'rerun', by });
    await noteReruns(home, 'b', ['f0']);
    await records.changeRecord('b', 'f0', (now) => now && { ...now, rerunAtMs: Date.now() });
    const { generation, rows } = facts;
    const row = { batch: 'b', generation, part: 0, index: 0, id: 'f0', kind: 'vendor-f/video' } as const;
    const batch = temporal.client.workflow.getHandle(batchId(account, 'b'));
    await batch.signal(reopen, { generation, rows, row, isRerun: true });
    const result: BatchResult = await stack.result('b');
    const histories = await storedHistories(temporal.client, `WorkflowId = '${batch.workflowId}'`);
    const films = stack.emulator.truth().jobs.map(({ kind }) => kind);
    return { result, histories, films: films.sort() };
  } finally {
    await stack.stop();
  }
}
