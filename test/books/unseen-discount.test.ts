// A discount that begins while an answer is lost (service document 1, Discount window: only active ones are answered,
// and there is no word of changes): two jobs at half the price cost as much as one at its full price.

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { attemptsSince } from '../../src/books/attempts.js';
import { bookEnd } from '../../src/books/charges.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { Discount } from '../../src/service/account.js';
import { accountAtHand, MINUTE_MS, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const CELLS = { prompt: 'a bird', duration: 5 };
const LOST = plainRow('lost', { kind: 'vendor-a/text2video', cells: CELLS });
const TWIN = plainRow('twin', { kind: 'vendor-a/text2video', cells: CELLS, index: 1 });
const PRICES = [{ kind: LOST.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

/** One answer is lost, its twin is charged; what both took of the balance is seen once nothing can come any more. */
async function lostBesideTwin(takenCredits: number) {
  const { deps, clock, refOf, generation } = await accountAtHand([LOST, TWIN], PRICES);
  const startMs = clock.nowMs;
  const readBalance = async (minute: number, credits: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    const plan = { rpm: null, concurrent: null, plan: null };
    await deps.home.addCheckpoint({ atMs: clock.nowMs, balanceNano: credits * NANO_PER_CREDIT, ...plan });
  };
  await deps.books.discounts.keep([]);
  await readBalance(-1, 20);
  const price = { lo: PRICE_NANO, hi: PRICE_NANO };
  for (const { id, hash, kind, index } of [LOST, TWIN]) {
    const claimed = intent({ atMs: startMs, rowHash: hash, kind, generation, index, expected: price });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claimed);
  }
  const lost = { batch: 'b', id: LOST.id, n: 1 };
  await deps.ledger.append(lost, { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } });
  const end = { state: 'rendered', atMs: startMs + 2 * MINUTE_MS, outputs: [{ url: 'https://x' }], facts: {} } as const;
  await bookEnd(deps.books, TWIN, { ...lost, id: TWIN.id }, { ...end, outputs: [] }, { claimedAtMs: startMs });
  for (let minute = 1; minute <= 67; minute += 1) await readBalance(minute, minute < 3 ? 20 : 20 - takenCredits);
  return {
    settle: (how: { withoutDiscounts?: true } = {}) =>
      settleActivities(deps).settle({ row: refOf(LOST), n: 1, ...how }),
    answer: (discounts: Discount[]) => deps.books.discounts.keep(discounts),
    readBalance,
    startMs,
    nowMs: clock.nowMs,
  };
}

test('no verdict comes before the discounts are known for all that it rests on', async () => {
  const { settle, answer, startMs, nowMs } = await lostBesideTwin(0.2);
  expect(await settle()).toMatchObject({ outcome: 'wait', discountsSinceMs: nowMs - MINUTE_MS });
  const half = { entrypoint: 'vendor-a', multiplierPpb: 5e8, effectiveFromMs: startMs - 1, effectiveToMs: null };
  await answer([half]);
  // Both at half price, or the twin alone at its full one while the discount was not in force yet.
  const settled = await settle();
  expect(settled).toMatchObject({ outcome: 'wait' });
  expect(settled).not.toHaveProperty('discountsSinceMs');
});

test('where no discount has begun the balance says what it said', async () => {
  const { settle, answer } = await lostBesideTwin(0.2);
  await answer([]);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});

test('a bill is seen without them where they cannot be read; what is sent again then waits, and ends undecided', async () => {
  const billed = await lostBesideTwin(0.4);
  // Ever more rarely, so that the history of its job stays short: 67 minutes after the claim every two minutes (I17).
  expect(await billed.settle()).toMatchObject({ outcome: 'wait', delayMs: (67 * MINUTE_MS) / 32 });
  expect(await billed.settle({ withoutDiscounts: true })).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  const unbilled = await lostBesideTwin(0.2);
  expect(await unbilled.settle({ withoutDiscounts: true })).toMatchObject({ outcome: 'wait' });
  for (let minute = 68; minute <= 166; minute += 1) await unbilled.readBalance(minute, 19.8);
  expect(await unbilled.settle({ withoutDiscounts: true })).toMatchObject({ verdict: 'undecided' });
});

test('a verdict comes by the readings for which the discounts are known, however many come after them', async () => {
  const { settle, answer, readBalance } = await lostBesideTwin(0.4);
  await answer([]);
  await readBalance(68, 19.6);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});

test('a discount that ends while a job of a call that was open for long may still be charged makes its price a range', async () => {
  const image = plainRow('image');
  const prices = [{ kind: image.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
  const { deps, clock, generation } = await accountAtHand([image], prices);
  const startMs = clock.nowMs;
  const untilMs = startMs + 20 * MINUTE_MS;
  await deps.books.discounts.keep([
    { entrypoint: 'svc', multiplierPpb: 5e8, effectiveFromMs: 0, effectiveToMs: untilMs },
  ]);
  const expected = { lo: PRICE_NANO / 2, hi: PRICE_NANO / 2 };
  const claimed = intent({ atMs: startMs, rowHash: image.hash, kind: image.kind, generation, index: 0, expected });
  const ref = { batch: 'b', id: image.id, n: 1 };
  await deps.ledger.claim(ref, claimed);
  // Given up after a quarter of an hour; what it began may take as long, and can have begun three minutes later.
  clock.nowMs += 15 * MINUTE_MS;
  await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } });
  const { cases } = await attemptsSince(deps.books, startMs);
  expect(cases).toMatchObject([{ price: { lo: PRICE_NANO / 2, hi: PRICE_NANO } }]);
});
