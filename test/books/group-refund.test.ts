// A refund lowers how many of a group were billed, whichever of its bills came back (design 3, Interchangeable attempts).
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { standingOf } from '../../src/domain/standing.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const ROWS = ['a', 'b', 'c'].map((id, index) => plainRow(id, { kind: KIND, index, cells }));
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

test.each([1, 2])('%i of three were billed, and one bill comes back', async (billed) => {
  const { deps, clock, refOf, generation } = await accountAtHand(ROWS, PRICES);
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  Object.assign(deps.books.messenger, { reopen: async () => true, rowFinished: async () => true });
  const evidence = { rule: 'T11', message: 'reset' };
  let spent = 0;
  let now = 0;
  const until = async (minute: number) => {
    for (; now <= minute; now += 1) {
      clock.nowMs = startMs + now * MINUTE_MS;
      await readAccount(deps, Math.round((20 - spent) * 10) / 10);
      clock.nowMs += 1_000;
    }
  };
  await until(0);
  for (const { id, hash: rowHash, index } of ROWS) {
    const ref = { batch: 'b', id, n: 1 };
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence });
    await until(now);
  }
  await until(50);
  spent = billed * 0.2;
  await until(75);
  for (const row of ROWS as Row[])
    await settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
  const standings = async () =>
    (await Promise.all(ROWS.map(async ({ id }) => (await deps.ledger.read('b', id)).map(standingOf)))).flat();
  expect((await standings()).filter((one) => one === 'billed')).toHaveLength(billed);
  // The job failed at minute 55; its refund comes half an hour later.
  await until(80);
  spent = (billed - 1) * 0.2;
  for (let minute = 85; minute <= 260; minute += 5) {
    await until(minute);
    await useReadings(deps.books);
  }
  expect((await standings()).filter((one) => one === 'billed')).toHaveLength(billed - 1);
});
