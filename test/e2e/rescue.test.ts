import { fileURLToPath } from 'node:url';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAgain } from '../../src/contract/messages.js';
import { batchId, jobId, semaphoreId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import { filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const OTHER = fileURLToPath(new URL('../support/other-workflows.ts', import.meta.url));

describe.skipIf(!hasTemporal())('a workflow whose history cannot be replayed (F51, F55)', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  /** Has a worker of other code take the first task of what `start` starts. */
  async function spoil(stack: Stack, start: () => Promise<unknown>, workflowId: string): Promise<void> {
    const worker = await Worker.create({
      connection: temporal.nativeConnection,
      taskQueue: taskQueues(stack.settings.account).home,
      workflowsPath: OTHER,
    });
    await worker.runUntil(async () => {
      await start();
      await until(async () => {
        const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
        return events?.some((event) => event.timerStartedEventAttributes) ?? false;
      });
    });
  }

  const rows = [imageRow('one'), filmRow('two'), imageRow('three')];
  it.concurrent.each(['batch', 'semaphore'] as const)(
    'the %s starts over: every row ends, paid once',
    async (which) => {
      const account = `spoilt-${which}`;
      const stack = await startStack({ temporal, account, speed: 60 });
      try {
        const generation = await stack.seed('b', rows);
        if (which === 'batch') await spoil(stack, () => stack.supply('b', generation), batchId(account, 'b'));
        else {
          const workflowId = semaphoreId(account);
          const options = {
            workflowId,
            memo: WORKFLOW_MEMO,
            taskQueue: taskQueues(account).home,
            args: [{ account, timeScale: 60 }],
          };
          await spoil(stack, () => temporal.client.workflow.start('semaphore', options), workflowId);
        }
        await stack.startWorker();
        // A message wakes what was spoilt.
        await stack.supply('b', generation);
        await expectAllDone(stack);
      } finally {
        await stack.stop();
      }
    },
  );

  it.concurrent('a job starts over while its film renders: nothing is sent again', async () => {
    const account = 'spoilt-job';
    const stack = await startStack({
      temporal,
      account,
      speed: 20,
      emulator: { renderSeconds: { 'vendor-f': [600, 700] } },
    });
    try {
      const first = await stack.startWorker();
      await stack.supply('b', await stack.seed('b', rows));
      await until(() => stack.emulator.truth().jobs.some(({ polls }) => polls > 0));
      await first.shutdown();
      const handle = temporal.client.workflow.getHandle(jobId(account, 'b', 'two'));
      const started = (await handle.fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes;
      const input = defaultPayloadConverter.fromPayload(started?.input?.payloads?.[0] ?? {});
      await handle.terminate('to be spoilt');
      const options = {
        workflowId: handle.workflowId,
        memo: WORKFLOW_MEMO,
        taskQueue: taskQueues(account).home,
        args: [input],
      };
      await spoil(stack, () => temporal.client.workflow.start('job', options), handle.workflowId);
      await stack.startWorker();
      await handle.signal(lookAgain);
      await expectAllDone(stack);
    } finally {
      await stack.stop();
    }
  });

  async function expectAllDone(stack: Stack): Promise<void> {
    await until(async () => (await stack.resultLines('b')).filter(({ status }) => status === 'done').length === 3);
    expect(stack.emulator.truth().jobs).toHaveLength(3);
    expect(stack.emulator.truth().violations).toEqual([]);
  }
});
