// An open case that nobody works on any more (its batch was never gone on with, its row left the manifest) keeps no
// later lost answers of its price from being settled together, and does not end what the account learns.
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { bookEnd } from '../../src/books/charges.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { readMeasuredPrices } from '../../src/home/learned.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const ROWS = ['orphan', 'a', 'b', 'c'].map((id, index) => plainRow(id, { kind: KIND, index, cells }));
const [ORPHAN, A, B, C] = ROWS as [Row, Row, Row, Row];
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
const DAY = 24 * 60;

async function account(prices: PriceRule[], hasOrphan: boolean) {
  const at = await accountAtHand(ROWS, prices);
  const { deps, clock, generation } = at;
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  Object.assign(deps.books.messenger, { reopen: async () => true, rowFinished: async () => true });
  const claim = async ({ id, hash: rowHash, index }: Row, expected = { lo: PRICE_NANO, hi: PRICE_NANO }) => {
    const ref = { batch: 'b', id, n: 1 };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    return ref;
  };
  const lose = async (row: Row) =>
    deps.ledger.append(await claim(row), {
      ...{ state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T12', message: 'its process died' } },
    } as never);
  const read = async (minute: number, credits: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    await readAccount(deps, credits);
    clock.nowMs += 1_000;
  };
  await read(0, 20);
  // Two days ago; its batch was never run again.
  if (hasOrphan) await lose(ORPHAN);
  return { ...at, claim, lose, read, startMs };
}

test.each([false, true])('two lost answers are settled by their count (an old open case: %s)', async (hasOrphan) => {
  const { deps, refOf, lose, read } = await account(PRICES, hasOrphan);
  const settle = (row: Row) => settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
  const from = 2 * DAY;
  await read(from, 20);
  await lose(A);
  await read(from + 1, 20);
  await lose(B);
  for (let minute = from + 2; minute <= from + 75; minute += 1) await read(minute, minute < from + 30 ? 20 : 19.8);
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});

test.each([false, true])('a lone charge teaches its price (an old open case: %s)', async (hasOrphan) => {
  const { deps, claim, read, clock } = await account([], hasOrphan);
  const from = 2 * DAY;
  await read(from, 20);
  const ref = await claim(A, null as never);
  const claimedAtMs = clock.nowMs;
  await deps.ledger.append(ref, { state: 'created', atMs: clock.nowMs, handle: 'h' });
  const createdAtMs = clock.nowMs;
  await read(from + 2, 19.8);
  const end = { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} } as const;
  await deps.ledger.append(ref, end as never);
  await bookEnd(deps.books, A, ref, end as never, { claimedAtMs, createdAtMs });
  await deps.records.writeRecord('b', rowRecord({ id: 'a', kind: KIND, rowHash: A.hash, finishedAtMs: clock.nowMs }));
  for (let minute = from + 3; minute <= from + 10; minute += 1) await read(minute, 19.8);
  await useReadings(deps.books);
  expect(await readMeasuredPrices(deps.home)).toHaveLength(1);
});

test('an old case that was counted with others is not counted a second time', async () => {
  const { deps, refOf, lose, read } = await account(PRICES, true);
  const settle = (row: Row) => settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
  await lose(A);
  for (let minute = 1; minute <= 75; minute += 1) await read(minute, minute < 30 ? 20 : 19.8);
  // One of the two was billed, and the other one's row is never gone on with.
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  // Nothing of it can come back any more.
  for (let minute = 76; minute <= 120; minute += 1) await read(minute, 19.8);
  await lose(B);
  await read(121, 19.8);
  await lose(C);
  for (let minute = 122; minute <= 195; minute += 1) await read(minute, minute < 150 ? 19.8 : 19.6);
  expect(await settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await settle(C)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});
