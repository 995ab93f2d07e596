// When a batch was paused is kept, for whoever looks back.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { orderPause, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { openHome } from '../../src/home/home.js';
import { notePause, pausedMs, readPauses } from '../../src/home/pauses.js';
import { createFolderStore } from '../../src/store/folder.js';

const home = () => openHome(createFolderStore(mkdtempSync(join(tmpdir(), 'callsheet-pauses-'))), 'a');

test('a pause has its beginning and its end; the same order twice is one pause', async () => {
  const at = home();
  expect(await readPauses(at, 'b')).toEqual([]);
  for (const [isPaused, atMs] of [
    [false, 1],
    [true, 5],
    [true, 6],
    [false, 9],
    [false, 10],
    [true, 20],
  ] as const) {
    await notePause(at, 'b', isPaused, atMs);
  }
  expect(await readPauses(at, 'b')).toEqual([
    { fromMs: 5, toMs: 9 },
    { fromMs: 20, toMs: null },
  ]);
});

test('how long it stood paused between two instants, a pause that lasts included', async () => {
  const at = home();
  for (const [isPaused, atMs] of [
    [true, 5],
    [false, 9],
    [true, 20],
  ] as const) {
    await notePause(at, 'b', isPaused, atMs);
  }
  expect(await pausedMs(at, 'b', 0, 30)).toBe(14);
  expect(await pausedMs(at, 'b', 7, 15)).toBe(2);
  expect(await pausedMs(at, 'b', 9, 20)).toBe(0);
});

test('the order to pause notes it, and that of the next run ends it though it paused nothing itself', async () => {
  const at = home();
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  const order = { limits: { maxCreditsNano: null, maxFailures: null }, policy };
  await writeBatchOrder(at, 'b', order);
  vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
  try {
    expect(await orderPause(at, 'b', true)).toBe(true);
    expect((await readBatchOrder(at, 'b'))?.isPaused).toBe(true);
    await writeBatchOrder(at, 'b', order);
    vi.setSystemTime(4_000);
    expect(await orderPause(at, 'b', false)).toBe(false);
    expect(await readPauses(at, 'b')).toEqual([{ fromMs: 1_000, toMs: 4_000 }]);
  } finally {
    vi.useRealTimers();
  }
});
