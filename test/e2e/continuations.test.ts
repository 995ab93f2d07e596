import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { semaphoreId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import { type StoredHistory, storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';

const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

describe.skipIf(!hasTemporal())('batch and semaphore hand over to new runs under load (F54)', () => {
  let stack: Stack;
  let histories: StoredHistory[];
  beforeAll(async () => {
    stack = await startStack({ speed: 200, account: 'handover' });
    const { account, timeScale } = stack.settings;
    await stack.temporal.client.workflow.start('semaphore', {
      workflowId: semaphoreId(account),
      taskQueue: taskQueues(account).home,
      memo: WORKFLOW_MEMO,
      args: [{ account, timeScale, eventsMax: 45, countsHeld: true, namesHeirs: true, forgives: true }],
    });
    await stack.startWorker();
    const rows = Array.from({ length: 200 }, (_, i) => (i % 8 === 0 ? filmRow(`r${i}`) : imageRow(`r${i}`)));
    await stack.run('long', rows, { eventsMax: 90 });
    histories = await storedHistories(stack.temporal.client);
    for (const type of ['batch', 'job', 'semaphore']) recordHistories(type, longest(histories, type));
  });
  afterAll(() => stack?.stop());

  it('loses no row and counts none twice over more than 20 continuations (I6)', async () => {
    const runs = histories.filter(({ type }) => type === 'batch' || type === 'semaphore');
    expect(runs.length).toBeGreaterThan(22);
    const { counts } = await stack.result('long');
    expect(counts).toMatchObject({ done: 200, failed: 0, cancelled: 0 });
    expect(stack.emulator.truth().jobs).toHaveLength(200);
  });

  it('never exceeds the cap, and frees every slot (I4, I5)', () => {
    const { account, violations } = stack.emulator.truth();
    expect(violations).toEqual([]);
    expect(account.maxima.jobsAtOnce).toBeLessThanOrEqual(account.caps.concurrent);
  });

  it('replays every stored history (I16)', async () => {
    const replayed = Worker.runReplayHistories(
      { workflowBundle: { codePath: BUNDLE } },
      histories.map(({ workflowId, history }) => ({ workflowId, history })),
    );
    for await (const { workflowId, error } of replayed) expect(error, workflowId).toBeUndefined();
  });
});

function longest(histories: StoredHistory[], type: string): StoredHistory[] {
  const some = histories.filter((one) => one.type === type);
  return some.sort((a, b) => b.events - a.events).slice(0, 2);
}
