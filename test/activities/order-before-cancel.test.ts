// What a person ordered of single rows, and what was ordered of their batch since (designs 3, 9 and I19).
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { markCancelled, markStopped } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { notOrdered } from '../../src/home/run-order.js';
import { intent, wholeRecord } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROW = plainRow('r');
const by = { who: 'ann' };
const REFUSED = { state: 'refused', rule: 'T4', next: 'wait_turn', status: 429, message: 'rpm' } as const;
const lost = (atMs: number): AttemptState => ({ state: 'unknown', atMs, evidence: { rule: 'T11', message: 'reset' } });

/** A row that stood with a person, who then decided about it. */
async function decided(decision: (atMs: number) => AttemptState) {
  const { deps, clock, refOf, generation } = await accountAtHand([ROW]);
  const ref = { batch: 'b', id: 'r', n: 1 };
  const at = (): number => (clock.nowMs += 1_000);
  await deps.ledger.claim(ref, intent({ atMs: at(), rowHash: ROW.hash, kind: ROW.kind, generation, index: 0 }));
  await deps.ledger.append(ref, lost(at()));
  await deps.ledger.append(ref, { state: 'verdict', atMs: at(), verdict: 'undecided', sentence: 'either' });
  const ended = { status: 'review', reasonCode: 'answer_lost_undecided', rowHash: ROW.hash, seenStates: 3 } as const;
  await deps.records.writeRecord(
    'b',
    wholeRecord('r', { kind: ROW.kind, attempts: 1, ...ended, flags: [], files: [] }),
  );
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null });
  const row = refOf(ROW);
  const decide = async () => deps.ledger.append(ref, decision(at()));
  const cancel = () => markCancelled(deps.home, 'b', at());
  const tryAgain = async (n: number, ...states: ((atMs: number) => AttemptState)[]) => {
    const again = { ...ref, n };
    await deps.ledger.claim(again, intent({ atMs: at(), rowHash: ROW.hash, kind: ROW.kind, generation, index: 0 }));
    for (const state of states) await deps.ledger.append(again, state(at()));
  };
  /** Where its page begins it, and why its job, which begins after all of that, does not send it. */
  const carriedOut = async () => {
    const cursor = { part: 0, index: 0 };
    const asked = { batch: 'b', generation, cursor, limit: 5, retry: null, roomNano: null };
    const page = await rowActivities(deps).pageRows(asked);
    const earlier = await deps.ledger.read('b', 'r');
    const refusal = await notOrdered(deps, row, { hash: ROW.hash, earlier, sinceMs: at() });
    return [page.entries.map(({ begins }) => begins), refusal];
  };
  return {
    decide,
    cancel,
    stop: () => markStopped(deps.home, 'b', 'budget_reached', { atMs: at() }),
    tryAgain,
    carriedOut,
  };
}

const DECISIONS: [string, (atMs: number) => AttemptState][] = [
  ['resubmit', (atMs) => ({ state: 'overridden', atMs, cause: 'person', by })],
  [
    'settle-group',
    (atMs) => ({ state: 'verdict', atMs, verdict: 'not_billed', sentence: 'one of two', byPerson: true, group: 'g' }),
  ],
];
const SENT = [['submit'], undefined];

test.each(DECISIONS)(
  'I19: a row that %s was ordered of ends with the cancel of its batch that came after',
  async (_, decision) => {
    const { decide, cancel, carriedOut } = await decided(decision);
    await decide();
    expect(await carriedOut()).toEqual(SENT);
    await cancel();
    expect(await carriedOut()).toEqual([['submit'], { outcome: 'not_sent', reason: 'cancelled_by_user' }]);
  },
);

test.each(DECISIONS)(
  'an order of %s after the cancel, or the stop, is carried out, also where attempts cost nothing',
  async (_, decision) => {
    for (const over of ['cancel', 'stop'] as const) {
      const one = await decided(decision);
      await one[over]();
      await one.decide();
      expect(await one.carriedOut()).toEqual(SENT);
      await one.tryAgain(2, (atMs) => ({ ...REFUSED, atMs }));
      expect(await one.carriedOut()).toEqual(SENT);
      await one.tryAgain(3, lost, (atMs) => ({
        state: 'verdict',
        atMs,
        verdict: 'not_billed',
        sentence: 'nothing left',
      }));
      expect(await one.carriedOut()).toEqual(SENT);
    }
  },
);
