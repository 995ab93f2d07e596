// A claim whose process died two days ago and whose batch nobody has gone on with moves no balance any more.
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const ROWS = ['orphan', 'a'].map((id, index) => plainRow(id, { kind: KIND, index, cells }));
const [ORPHAN, A] = ROWS as [Row, Row];
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

test.each([
  ['billed', false],
  ['billed', true],
  ['not_billed', false],
  ['not_billed', true],
] as const)('a lost answer is found %s (an old claim: %s)', async (verdict, hasOrphan) => {
  const { deps, clock, refOf, generation } = await accountAtHand(ROWS, PRICES);
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  const claim = async ({ id, hash: rowHash, index }: Row) => {
    const ref = { batch: 'b', id, n: 1 };
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    return ref;
  };
  const read = async (minute: number, credits: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    await readAccount(deps, credits);
    clock.nowMs += 1_000;
  };
  await read(0, 20);
  if (hasOrphan) await claim(ORPHAN);
  const from = 2 * 24 * 60;
  await read(from, 20);
  const evidence = { rule: 'T11', message: 'reset' };
  await deps.ledger.append(await claim(A), { state: 'unknown', atMs: clock.nowMs, evidence });
  const isBilled = verdict === 'billed';
  for (let minute = from + 1; minute <= from + 75; minute += 1)
    await read(minute, isBilled && minute >= from + 30 ? 19.8 : 20);
  const settled = await settleActivities(deps).settle({ row: refOf(A), n: 1, ambiguity: 'if-proved' });
  expect(settled).toMatchObject({ outcome: 'verdict', verdict });
});
