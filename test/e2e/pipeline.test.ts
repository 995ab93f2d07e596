import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lateResultsId } from '../../src/contract/names.js';
import { createRecords } from '../../src/home/row-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createMessenger } from '../../src/worker/messenger.js';
import { storedHistories } from '../support/histories.js';
import { avatarRow, filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';

describe.skipIf(!hasTemporal())('a batch through real workflows against the emulator', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
    await stack.startWorker();
  });
  afterAll(() => stack?.stop());

  it('renders images, avatars and films to files', async () => {
    const rows = [imageRow('i1'), avatarRow('a1'), filmRow('f1'), imageRow('i2')];
    const result = await stack.run('first', rows);
    expect(result.counts.done).toBe(4);
    for (const [id, extension] of [
      ['i1', 'png'],
      ['a1', 'mp4'],
      ['f1', 'mp4'],
      ['i2', 'png'],
    ] as const) {
      expect(existsSync(join(stack.out, 'first', 'media', `${id}.${extension}`))).toBe(true);
    }
    expect(stack.emulator.truth().violations).toEqual([]);
  });

  it('keeps caps, counts each row once and leaves small histories (I4, I6, I12, I17)', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => {
      const id = `m${i}`;
      return i % 3 === 0 ? avatarRow(id) : i % 3 === 1 ? filmRow(id) : imageRow(id);
    });
    const result = await stack.run('mixed', rows);
    expect(result.counts).toMatchObject({ done: 60, failed: 0 });
    const { account, violations } = stack.emulator.truth();
    expect(violations).toEqual([]);
    expect(account.maxima.jobsAtOnce).toBeLessThanOrEqual(account.caps.concurrent);
    expect(account.maxima.jobsAtOnce).toBeGreaterThan(2);
    expect(account.maxima.requestsIn60s).toBeLessThanOrEqual(account.caps.rpm);
    const histories = await storedHistories(stack.temporal.client);
    const jobs = histories.filter(({ type }) => type === 'job');
    expect(jobs.length).toBeGreaterThanOrEqual(60);
    expect(Math.max(...jobs.map(({ events }) => events))).toBeLessThan(45);
    expect(Math.max(...histories.map(({ largestPayload }) => largestPayload))).toBeLessThan(4_096);
    expect(histories.some(({ text }) => text.includes('sk-svc-') || text.includes('http://'))).toBe(false);
  });

  it('sends nothing paid for a finished batch that is run again (I9)', async () => {
    const before = stack.emulator.truth().jobs.length;
    const rows = [imageRow('i1'), avatarRow('a1'), filmRow('f1'), imageRow('i2')];
    const result = await stack.run('first', rows);
    expect(result.counts.done).toBe(4);
    expect(stack.emulator.truth().jobs.length).toBe(before);
  });

  it('writes the results of a batch that has ended once more when a record is corrected (I6)', async () => {
    const { account, home, timeScale } = stack.settings;
    const record = await stack.record('first', 'i1');
    if (!record) throw new Error('row i1 has no record');
    const corrected = { ...record, status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0 } as const;
    await createRecords(createFolderStore(home), account).writeRecord('first', corrected);
    const { client } = stack.temporal;
    await createMessenger(client, account, timeScale).rewriteResults('first');
    await client.workflow.getHandle(lateResultsId(account, 'first')).result();
    const lines = await stack.resultLines('first');
    expect(lines.map(({ id, status }) => [id, status])).toContainEqual(['i1', 'failed']);
    expect(lines).toHaveLength(4);
  });
});
