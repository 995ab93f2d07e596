// An upgrade while batches are open: a worker that is stopped in the middle of it leaves them to the next one.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { startEarlierAnew } from '../../src/worker/earlier-workflows.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';

/** A server with workflows of an earlier build, by id. */
function serverWith(...open: [id: string, type: string][]) {
  const inputs: unknown[] = [];
  const running = new Map(open.map(([workflowId, type]) => [workflowId, { workflowId, runId: '1', type, format: 0 }]));
  const workflow = {
    async *list() {
      for (const { format, ...run } of [...running.values()]) yield { ...run, memo: format ? { format } : {} };
    },
    getHandle: (id: string) => ({ terminate: async () => void running.delete(id) }),
    async signalWithStart(
      type: string,
      { workflowId, memo, args }: { workflowId: string; memo: { format: number }; args: unknown[] },
    ) {
      inputs.push(...args);
      running.set(workflowId, { workflowId, runId: '2', type, format: memo.format });
      return { signal: async () => undefined };
    },
  };
  return { client: { workflow } as unknown as Client, running, inputs };
}

test('a home that cannot be read for a moment costs no batch', async () => {
  const { deps, generation } = await accountAtHand([plainRow('one')]);
  await deps.rows.setCurrentGeneration('b', generation);
  let isAway = true;
  const rows = {
    ...deps.rows,
    async currentGeneration(batch: string) {
      if (isAway) throw new Error('503 SlowDown');
      return deps.rows.currentGeneration(batch);
    },
  };
  const settings = { ...deps.settings, account: 'a' };
  const messenger = { ...deps.messenger, ensureSemaphore: async () => undefined };
  const begin = () => startEarlierAnew(client, { ...deps, settings, messenger, rows });
  const { client, running } = serverWith(['callsheet/a/batch/b', 'batch'], ['callsheet/a/job/b/one', 'job']);
  await expect(begin()).rejects.toThrow('SlowDown');
  isAway = false;
  await begin();
  expect([...running.values()]).toMatchObject([{ workflowId: 'callsheet/a/batch/b', runId: '2' }]);
});

test('a batch whose rows go in the order of the manifest goes on so', async () => {
  const { deps, generation } = await accountAtHand([plainRow('one')]);
  await deps.rows.setCurrentGeneration('b', generation);
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    isBreadthFirst: true,
  });
  const { client, inputs } = serverWith(['callsheet/a/batch/b', 'batch']);
  const messenger = { ...deps.messenger, ensureSemaphore: async () => undefined };
  await startEarlierAnew(client, { ...deps, settings: { ...deps.settings, account: 'a' }, messenger });
  expect(inputs).toMatchObject([{ batch: 'b', isBreadthFirst: true }]);
});
