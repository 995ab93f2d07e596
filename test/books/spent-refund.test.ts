// A bill that came back is no cost of its batch any more, in the books as in the budget.
import { expect, test } from 'vitest';
import { bookVerdict } from '../../src/books/charges.js';
import { spentOf } from '../../src/books/spent.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const PRICES: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.2' }] }];
const NANO = 0.2 * NANO_PER_CREDIT;

test('the sum that a budget is kept by leaves out a bill that came back', async () => {
  const row = plainRow('a');
  const { deps, clock, generation } = await accountAtHand([row], PRICES);
  const ref = { batch: 'b', id: 'a', n: 1 };
  const expected = { lo: NANO, hi: NANO };
  await deps.ledger.claim(
    ref,
    intent({ atMs: clock.nowMs, rowHash: row.hash, kind: 'svc/image', generation, index: 0, expected }),
  );
  await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } });
  await deps.ledger.append(ref, { state: 'verdict', atMs: clock.nowMs, verdict: 'billed', sentence: 'billed' });
  const attempt = await deps.ledger.readAttempt(ref);
  if (attempt === undefined) throw new Error('no attempt');
  await bookVerdict(deps.books, row, ref, { attempt, endedAtMs: clock.nowMs, verdict: 'billed', goneMs: null });
  const spent = () => spentOf(deps, 'b', async () => ({ configured: PRICES, measured: [] }));
  expect(await spent()).toEqual({ endedNano: NANO, openNano: 0, unbounded: 0 });
  // As `auditVerdicts` does where the bill came back.
  await deps.ledger.append(ref, {
    state: 'verdict',
    atMs: clock.nowMs + 1,
    verdict: 'not_billed',
    sentence: 'it came back',
  });
  await deps.ledger.close(ref);
  expect(await spent()).toEqual({ endedNano: 0, openNano: 0, unbounded: 0 });
});
