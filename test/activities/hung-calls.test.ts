// Images that hang until their limit, a quarter of an hour, are lost answers of the moment at which that is known.
import { expect, test } from 'vitest';
import { noteCase } from '../../activities/row/semaphore-notes.js';
import type { OpenedCase } from '../../src/contract/semaphore.js';
import { caseOpened, newPermits } from '../../workflows/permits.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

test.each([
  ['T11', 1],
  ['T12', 0],
])(
  'a second one within ten minutes opens its breaker; one found after its process ended (%s) is as old as its claim',
  async (rule, open) => {
    const rows = ['a', 'b'].map((id, index) => plainRow(id, { index }));
    const { deps, clock, generation } = await accountAtHand(rows);
    const told: OpenedCase[] = [];
    deps.messenger.caseOpened = async (opened) => void told.push(opened);
    const claimedAtMs = clock.nowMs;
    clock.nowMs += 15 * MINUTE_MS;
    for (const { id, index, kind, hash } of rows) {
      const ref = { batch: 'b', id, n: 1 };
      await deps.ledger.claim(ref, intent({ atMs: claimedAtMs, rowHash: hash, kind, generation, index }));
      await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: { rule, message: 'no answer' } });
      await noteCase(deps, ref, await deps.ledger.readAttempt(ref));
    }
    const state = newPermits(MINUTE_MS, clock.nowMs);
    for (const opened of told) caseOpened(state, opened, clock.nowMs);
    expect(state.breakers).toHaveLength(open);
  },
);
