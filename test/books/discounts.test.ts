// Discounts come, go and are answered late (F31; service document 1, Discount window and Limits).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attemptsSince } from '../../src/books/attempts.js';
import { type Books, type BooksOver, openBooks } from '../../src/books/open-books.js';
import type { MeasuredPrice } from '../../src/domain/price.js';
import { createChargeBook } from '../../src/home/charge-book.js';
import { openHome } from '../../src/home/home.js';
import { createLedger } from '../../src/home/ledger.js';
import type { Discount } from '../../src/service/account.js';
import { createFolderStore } from '../../src/store/folder.js';

const LIST = 1e9;
const vendorA = { entrypoint: 'vendor-a' } as const;
const minutes = (n: number): number => (60 + n) * 60_000;

let folder: string;
let nowMs: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-discounts-'));
  nowMs = minutes(0);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What one worker of the account has at hand. */
function worker(): Books {
  const store = createFolderStore(folder);
  const settings = { timeScale: 1, waits: { lambdaMs: 120_000 } };
  return openBooks({
    settings,
    home: openHome(store, 'a'),
    book: createChargeBook(store, 'a'),
    ledger: createLedger(store, 'a'),
    now: () => nowMs,
  } as unknown as BooksOver);
}

function discount(entrypoint: string, percent: number, fromMs: number, toMs: number | null): Discount {
  return { entrypoint, multiplierPpb: percent * 1e7, effectiveFromMs: fromMs, effectiveToMs: toMs };
}

const short = discount('vendor-a', 80, minutes(1), minutes(7));

/** The discount is answered once, after it began; then it is over and left out. */
async function readThreeTimes(reader: Books): Promise<void> {
  const answers: [number, Discount[]][] = [
    [0, []],
    [5, [short]],
    [20, []],
  ];
  for (const [minute, rows] of answers) {
    nowMs = minutes(minute);
    await reader.discounts.keep(rows);
  }
}

async function multipliers(books: Books, fromMinute: number, toMinute: number): Promise<number[]> {
  return (await books.discounts.multipliers(vendorA, minutes(fromMinute), minutes(toMinute))).sort((a, b) => a - b);
}

describe('F31: a discount that is over still prices what was charged under it', () => {
  test('each time has the multipliers that may have held then', async () => {
    const reader = worker();
    await readThreeTimes(reader);
    expect(await multipliers(reader, 2, 3)).toEqual([0.8e9, LIST]);
    expect(await multipliers(reader, 8, 9)).toEqual([LIST]);
    expect(await multipliers(reader, 30, 40)).toEqual([LIST]);
    expect(await reader.discounts.multipliers({ entrypoint: 'svc' }, minutes(0), minutes(20))).toEqual([LIST]);
  });

  test('an answer may be minutes old: it is read again after half of five', async () => {
    const reader = worker();
    nowMs = minutes(0);
    await reader.discounts.keep([]);
    nowMs = minutes(2.5);
    expect(await reader.discounts.areFresh()).toBe(true);
    nowMs = minutes(2.6);
    expect(await reader.discounts.areFresh()).toBe(false);
  });

  test('what was said of prices holds up to the last answer; another worker may have one', async () => {
    const [reader, other] = [worker(), worker()];
    expect(await reader.discounts.knownUntilMs()).toBe(Number.NEGATIVE_INFINITY);
    await reader.discounts.keep([]);
    nowMs = minutes(0.1);
    await other.discounts.keep([], minutes(0.05));
    expect(await reader.discounts.knownUntilMs()).toBe(minutes(0));
    await reader.discounts.lookAgain();
    expect(await reader.discounts.knownUntilMs()).toBe(minutes(0.05));
  });

  test('a worker that looked before there was any answer learns of them, and forgets none of them', async () => {
    const other = worker();
    expect(await multipliers(other, 2, 3)).toEqual([LIST]);
    await readThreeTimes(worker());
    nowMs = minutes(25);
    await other.discounts.keep([discount('svc', 50, minutes(24), null)]);
    expect(await multipliers(other, 2, 3)).toEqual([0.8e9, LIST]);
    expect(await multipliers(worker(), 2, 3)).toEqual([0.8e9, LIST]);
  });

  test('what was booked at list price is priced again once the discount is known', async () => {
    const reader = worker();
    await reader.discounts.keep([]);
    const times = { claimedAtMs: minutes(2), endedAtMs: minutes(3) };
    const entry = { batch: 'b', n: 1, kind: 'vendor-a/text2video', end: 'charged', ...times } as const;
    const list = { lo: 300, hi: 300 };
    await reader.book.append({ ...entry, id: 'r1', ...list, list });
    await reader.book.append({ ...entry, id: 'r2', ...list });
    await readThreeTimes(reader);
    const { known } = await attemptsSince(reader, 0);
    expect(known.map(({ id, lo, hi }) => [id, lo, hi])).toEqual([
      ['r1', 240, 300],
      ['r2', 300, 300],
    ]);
  });

  test('a price that was measured while a change was under way is not kept, one of another provider is', async () => {
    const reader = worker();
    await reader.discounts.keep([]);
    const measured = (kind: MeasuredPrice['kind'], atMinute: number): MeasuredPrice => ({
      ...{ kind, cells: {}, paidNano: 240, multiplierPpb: LIST, exclusive: true, times: 1 },
      ...{ firstAtMs: minutes(atMinute), lastAtMs: minutes(atMinute) },
    });
    const kept = [measured('vendor-a/text2video', -10), measured('svc/image', 3)];
    await reader.learned.changePrices(() => [...kept, measured('vendor-a/image2video', 3)]);
    nowMs = minutes(5);
    await reader.discounts.keep([short]);
    expect(await reader.learned.prices()).toEqual(kept);
  });
});
