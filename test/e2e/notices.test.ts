import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { openHome } from '../../src/home/home.js';
import { createFolderStore } from '../../src/store/folder.js';
import { imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';
import { startWebhook } from '../support/webhook.js';

const WORKER = fileURLToPath(new URL('../support/crash-worker.ts', import.meta.url));

describe.skipIf(!hasTemporal())('notices of a batch', () => {
  it('says that it is done, also when the worker is killed while it tells', async () => {
    const hook = await startWebhook('hang');
    const notices = [{ to: hook.url, isOwn: true, secret: null, isKept: false }];
    const stack = await startStack({ settings: { notices } });
    let worker: ChildProcess | undefined;
    try {
      worker = await forkWorker(stack);
      await stack.run('shots', [imageRow('one'), imageRow('two')]);
      await until(() => hook.arrived.length > 0);
      worker.kill('SIGKILL');
      hook.answer = 204;
      worker = await forkWorker(stack);
      await until(() => hook.arrived.length > 1);
      const [first, second] = hook.arrived.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      expect(first).toMatchObject({ type: 'done', batch: 'shots', counts: { done: 2 } });
      expect(second).toEqual(first);
      expect(hook.arrived[1]?.body).not.toContain('picture');
    } finally {
      worker?.kill('SIGKILL');
      await stack.stop();
      await hook.close();
    }
  });

  it('tells of a budget that is used up before the end, and is awaited while the webhook is away', async () => {
    const hook = await startWebhook(503);
    const notices = [{ to: hook.url, isOwn: true, secret: null, isKept: false }];
    const stack = await startStack({ settings: { notices } });
    try {
      const home = openHome(createFolderStore(stack.settings.home), stack.settings.account);
      const limits = { maxCreditsNano: 130_000, maxFailures: null };
      const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
      await writeBatchOrder(home, 'dear', { limits, policy });
      const worker = await stack.startWorker();
      const { stopped } = await stack.run(
        'dear',
        ['a', 'b', 'c'].map((id) => imageRow(id)),
        { limits },
      );
      expect(stopped).toBe('budget_reached');
      await until(() => worker.pendingNotices() > 1);
      hook.answer = 204;
      const before = hook.arrived.length;
      await until(() => worker.pendingNotices() === 0);
      const told = hook.arrived.slice(before).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      expect(told.at(-2)).toMatchObject({ type: 'budget', percent: 100, batch: 'dear' });
      expect(told.at(-1)).toMatchObject({
        type: 'done',
        reason: 'budget_reached',
        counts: { done: 2, not_started: 1 },
      });
    } finally {
      await stack.stop();
      await hook.close();
    }
  });
});

/** A worker process of its own; the marker keeps it from killing itself. */
async function forkWorker(stack: Stack): Promise<ChildProcess> {
  const marker = join(stack.folder, 'crashed');
  await writeFile(marker, '');
  const { settings, temporal } = stack;
  const order = { address: temporal.address, settings, point: 'before the claim', marker, id: 'none' };
  const child = fork(WORKER, {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, CRASH_ORDER: JSON.stringify(order) },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}
