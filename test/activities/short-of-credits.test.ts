// A 402 is tried again once the balance has changed (I14), and not where a reading shows the same one to more places.
import { expect, test } from 'vitest';
import { readExchange, recordOutcome } from '../../activities/row/submit-outcome.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { loadRow } from '../../src/home/row-work.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

test.each([
  ['rounded down to cents, stands for all that it may be', 0.04, 0.05],
  ['to the digit is what it is', 0.0432, 0.0432],
])('a balance that the refusal tells %s', async (_, told, seen) => {
  const row = plainRow('r');
  const { deps, refOf, clock, generation } = await accountAtHand([row]);
  const ref = { batch: 'b', id: 'r', n: 1 };
  const claim = { state: 'intent', atMs: clock.nowMs, nonce: 'x', rowHash: row.hash, kind: row.kind } as const;
  await deps.ledger.claim(ref, { ...claim, generation, part: 0, index: 0, expected: null });
  const work = await loadRow(deps, refOf(row));
  const error = { code: 'insufficient_credits', message: 'no', request_id: 'q', details: { credits_balance: told } };
  const body = Buffer.from(JSON.stringify({ error }));
  const answer = { status: 402, contentType: 'application/json', retryAfter: undefined, body };
  const request = { method: 'POST', path: '/v1/images/generations', body: {} } as const;
  const outcome = await readExchange(deps, work, { outcome: 'answered', tookMs: 1, answer }, request);
  const course = { claimedAtMs: clock.nowMs, grant: null, keyMark: 'one' };
  expect(await recordOutcome(deps, work, ref, outcome, course)).toMatchObject({
    next: 'pause_credits',
    seenNano: [Math.round(seen * NANO_PER_CREDIT)],
  });
});
