// What is due in the very moment of a hand-over: the server refuses a workflow task that asks for anything after the end
// of its run, and the repeated task asks for the same, for ever.
import { afterEach, describe, expect, it } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import { semaphoreId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import { type Stack, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';

const RUNS = 20;

describe.skipIf(!hasTemporal())('a semaphore that hands over all the time (F54)', () => {
  let stack: Stack | undefined;
  afterEach(() => stack?.stop());

  it.each([
    ['stand by', { standsBy: true as const }],
    // What is given to them comes back, and that must not hang on where in its history the semaphore hears of it.
    ['are gone', {}],
  ])('goes on, whatever is told, read or due in that moment, where jobs %s', async (_, how) => {
    stack = await startStack({ speed: 200, account: 'due' });
    const { account, timeScale } = stack.settings;
    const { client } = stack.temporal;
    const handle = await client.workflow.start('semaphore', {
      workflowId: semaphoreId(account),
      taskQueue: taskQueues(account).home,
      memo: WORKFLOW_MEMO,
      args: [{ account, timeScale, eventsMax: 60 }],
    });
    await stack.startWorker();
    const runs = new Set<string>();
    for (let turn = 0; runs.size < RUNS; turn += 1) {
      const jobs = [0, 1, 2].map((i) => ({ id: `${turn}-${i}`, kind: 'svc/image' as const }));
      await handle.signal(messages.acquireFor, { batch: 'b', jobs, ...how });
      const { holders } = await handle.query(messages.semaphoreView);
      await Promise.all(holders.map(({ grant }) => handle.signal(messages.release, { grant, done: true })));
      runs.add((await handle.describe()).runId);
    }
    expect((await handle.query(messages.semaphoreView)).ready).toBe(true);
  });
});
