import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchProgress, resumeBatch, semaphoreView } from '../../src/contract/messages.js';
import { batchId, semaphoreId } from '../../src/contract/names.js';
import { imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const ROWS = Array.from({ length: 12 }, (_, i) => imageRow(`r${i}`));

describe.skipIf(!hasTemporal())('F45: finished files that cannot be stored', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  const progressOf = (stack: Stack) =>
    temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b')).query(batchProgress);
  const pausesOf = async (stack: Stack) =>
    (await temporal.client.workflow.getHandle(semaphoreId(stack.settings.account)).query(semaphoreView)).pauses;

  async function runBlocked(account: string, block: (stack: Stack) => void, mend: (stack: Stack) => void) {
    const stack = await startStack({
      temporal,
      account,
      speed: 20,
      settings: { limits: { concurrency: 1, rpm: null } },
    });
    try {
      block(stack);
      await stack.startWorker();
      await stack.supply('b', await stack.seed('b', ROWS));
      await until(async () => (await progressOf(stack)).blocked !== null);
      const held = await progressOf(stack);
      expect(held.phase).toBe('paused');
      // A row that was answered before the pause may end after it.
      expect(held.events.findLast((event) => event.type === 'paused')).toMatchObject({
        reason: 'outputs',
        code: held.blocked?.code,
      });
      await until(async () => (await pausesOf(stack)).length > 0);
      expect(await pausesOf(stack)).toEqual([expect.objectContaining({ reason: 'outputs', batch: 'b' })]);
      // What was granted before the pause may still be on its way; then nothing more is paid.
      const paid = () => stack.emulator.truth().jobs.length;
      for (let before = -1; before < paid(); await delay(3_000)) before = paid();
      expect(paid()).toBeLessThan(ROWS.length);
      mend(stack);
      await temporal.client.workflow.getHandle(batchId(account, 'b')).signal(resumeBatch);
      const { counts } = await stack.result('b');
      expect(counts.done).toBe(ROWS.length);
      expect(stack.emulator.truth().jobs).toHaveLength(ROWS.length);
      await until(async () => (await pausesOf(stack)).length === 0);
      return { code: held.blocked?.code, stack };
    } finally {
      await stack.stop();
    }
  }

  it.concurrent('an out folder that became a file: nothing new is submitted, nothing paid is lost', async () => {
    const media = (stack: Stack) => join(stack.out, 'b', 'media');
    const { code } = await runBlocked(
      'notdir',
      (stack) => {
        mkdirSync(join(stack.out, 'b'), { recursive: true });
        writeFileSync(media(stack), 'a file where the folder must be');
      },
      (stack) => rmSync(media(stack)),
    );
    expect(code).toMatch(/^(ENOTDIR|EEXIST)$/);
  });

  it.concurrent('a foreign file that took an output name after the plan is kept; the row waits for it', async () => {
    const foreign = (stack: Stack) => join(stack.out, 'b', 'media', 'r0.png');
    const { code } = await runBlocked(
      'taken',
      (stack) => {
        mkdirSync(join(foreign(stack), '..'), { recursive: true });
        writeFileSync(foreign(stack), 'of someone else');
      },
      (stack) => {
        expect(readFileSync(foreign(stack), 'utf8')).toBe('of someone else');
        rmSync(foreign(stack));
      },
    );
    expect(code).toBe('EEXIST');
  });
});
