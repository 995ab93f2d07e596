import { expect, test } from 'vitest';
import { bookEnd } from '../../src/books/charges.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { ResultState } from '../../src/home/attempts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

// A charge stands alone only where no refund of another attempt can fall beside it.

test('a refund that is due beside a charge keeps that from being measured', async () => {
  const failed = plainRow('failed', { kind: 'vendor-a/text2video', cells: { prompt: 'a', model: 'vendor-a-v3' } });
  const image = plainRow('image', { index: 1 });
  const { deps, clock, generation } = await accountAtHand([failed, image], []);
  Object.assign(deps.messenger, { rowFinished: async () => true });
  const startMs = clock.nowMs;
  const at = (minute: number) => startMs + minute * MINUTE_MS;
  const read = async (from: number, to: number, credits: number) => {
    for (let minute = from; minute <= to; minute += 1) {
      clock.nowMs = at(minute);
      await readAccount(deps, credits);
      await useReadings(deps.books);
    }
  };
  await read(-10, -6, 20);
  // Reserved at its submit: 0.1. It fails at minute -1.5, and is refunded at minute 4.5.
  const first = { batch: 'b', id: 'failed', n: 1 };
  await deps.ledger.claim(
    first,
    intent({ atMs: at(-5.5), rowHash: failed.hash, kind: failed.kind, generation, index: 0, expected: null }),
  );
  await deps.ledger.append(first, { state: 'created', atMs: at(-5.4), handle: 'h' });
  await read(-5, -2, 19.9);
  const ended = { state: 'ended', atMs: at(-1.5), word: 'failed', message: 'no' } as const;
  clock.nowMs = at(-1.5);
  await deps.ledger.append(first, ended);
  await bookEnd(deps.books, failed, first, ended, { claimedAtMs: at(-5.5), createdAtMs: at(-5.4) });
  await read(-1, 0, 19.9);
  // An image of 0.3 credits, a price that nobody knows.
  const second = { batch: 'b', id: 'image', n: 1 };
  await deps.ledger.claim(
    second,
    intent({ atMs: at(0.2), rowHash: image.hash, kind: image.kind, generation, index: 1, expected: null }),
  );
  const done: ResultState = {
    state: 'done',
    atMs: at(0.5),
    outputs: [{ url: 'https://cdn.example/a.png' }],
    facts: {},
  };
  clock.nowMs = at(0.5);
  await deps.ledger.append(second, done);
  await bookEnd(deps.books, image, second, done, { claimedAtMs: at(0.2) });
  await deps.records.writeRecord(
    'b',
    rowRecord({
      id: 'image',
      kind: image.kind,
      rowHash: image.hash,
      attempts: 1,
      creditsBasis: 'unknown',
      finishedAtMs: at(0.6),
    }),
  );
  await read(1, 1, 19.9); // the balance is a minute late
  await read(2, 2, 19.9);
  await read(3, 31, 19.7); // −0.3 +0.1: the charge and the refund showed between two readings
  const prices = await deps.books.learned.prices();
  const record = await deps.records.readRecord('b', 'image');
  expect(record?.creditsNano ?? 0.3 * NANO_PER_CREDIT).toBe(0.3 * NANO_PER_CREDIT);
  expect(prices).toEqual([]);
});
