// Interchangeable attempts are settled by their count, by the policy of their own batches (design 3).
import { expect, test } from 'vitest';
import { gatherEvidence } from '../../src/activities/evidence.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { writeBatchOptions } from '../../src/store/batch-options.js';
import { writeBatchOrder } from '../../src/store/batch-order.js';
import { createRowsWriter } from '../../src/store/rows-writer.js';
import { intent } from '../store/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

type Policy = 'hold' | 'if-proved' | 'always';

const ROW = plainRow('r');
const PRICES = [{ kind: ROW.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
const LOST = { rule: 'T11', message: 'reset' };

/** One lost answer in each batch, all at one price, a minute apart; batch `b` is the first. */
async function lostIn(policies: Record<string, Policy | 'unknown'>) {
  const { deps, clock } = await accountAtHand([ROW], PRICES);
  const options = { out: '/out', onExists: 'fail', responseFormat: 'url', manifestFolder: '/in' } as const;
  for (const [batch, ambiguity] of Object.entries(policies)) {
    await writeBatchOptions(deps.home, batch, { schema: 1, ...options, maxOutputBytes: 1e9 });
    const writer = createRowsWriter(deps.home.store, 'a', batch);
    await writer.add({ row: ROW, raw: {} });
    const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
    if (ambiguity !== 'unknown') {
      const limits = { maxCreditsNano: null, maxFailures: null };
      await writeBatchOrder(deps.home, batch, { limits, policy: { ambiguity, retries: 0, wasteMaxNano: 0 } });
    }
    const ref = { batch, id: 'r', n: 1 };
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash: ROW.hash, kind: ROW.kind, generation, index: 0, expected }));
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: LOST });
    clock.nowMs += MINUTE_MS;
  }
  const equalsOf = async (batch: string) => {
    const ref = { batch, id: 'r', n: 1 };
    const attempt = await deps.ledger.readAttempt(ref);
    const mayGroup = policies[batch] !== 'hold';
    const { equals, rivals } = await gatherEvidence(deps, ROW.kind, ref, attempt ?? { n: 1, states: [], torn: true }, { mayGroup });
    return { equals: equals.sort(), rivals: rivals.length };
  };
  return { deps, clock, equalsOf };
}

test('a lost answer under `hold` is in no group of another batch, and is weighed all the same', async () => {
  const { equalsOf } = await lostIn({ b: 'if-proved', held: 'hold', c: 'always', old: 'unknown' });
  expect(await equalsOf('b')).toEqual({ equals: ['c/r/1'], rivals: 3 });
  expect(await equalsOf('c')).toEqual({ equals: ['b/r/1'], rivals: 3 });
  expect(await equalsOf('held')).toEqual({ equals: [], rivals: 3 });
});

test('the time of a group counts from its own first member', async () => {
  const { equalsOf, deps } = await lostIn({ held: 'hold', b: 'if-proved', c: 'if-proved' });
  // Three hours, in which a group is open, are a minute and a half here.
  deps.settings.timeScale = 120;
  expect(await equalsOf('b')).toEqual({ equals: ['c/r/1'], rivals: 2 });
});
