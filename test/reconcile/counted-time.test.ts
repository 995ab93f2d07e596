import { expect, it } from 'vitest';
import { countTime } from '../../src/reconcile/counted-time.js';
import type { SettleEvidence } from '../../src/reconcile/evidence.js';
import { settle } from '../../src/reconcile/settle.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1, 12);

/** A lost answer of a family that charges at submit, looked at every minute and then with the clock an hour ahead. */
function afterJump(jumpMs: number): SettleEvidence {
  const read = [-1, 1, 2].map((minute) => ({ atMs: START + minute * MINUTE, balanceNano: 10_000_000_000 }));
  const late = [3, 4].map((minute) => ({ atMs: START + jumpMs + minute * MINUTE, balanceNano: 10_000_000_000 }));
  return {
    nowMs: START + jumpMs + 4 * MINUTE,
    exclusive: true,
    thetaMs: 3 * MINUTE,
    lambdaMs: 2 * MINUTE,
    checkpoints: [...read, ...late],
    charges: [],
    subject: {
      name: 'b/r/1',
      claimedAtMs: START,
      gaveUpAtMs: START,
      flow: 'async',
      charge: 'at-submit',
      expected: { lo: 400_000_000, hi: 400_000_000 },
      renderMaxMs: 60 * MINUTE,
      syncMaxMs: 2 * MINUTE,
    },
    rivals: [],
  };
}

it('a clock that is set an hour ahead brings no verdict earlier (F52)', () => {
  const jumped = afterJump(60 * MINUTE);
  expect(settle(jumped)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
  expect(settle(countTime(jumped, MINUTE))).toMatchObject({ outcome: 'wait' });
});

it('of a gap that a slow machine leaves as much counts as is usual', () => {
  const slow = countTime(afterJump(4 * MINUTE), MINUTE);
  expect(slow.nowMs - START).toBe(4 * MINUTE);
});

it('without a gap nothing is changed', () => {
  const plain = afterJump(0);
  expect(countTime(plain, 5 * MINUTE)).toBe(plain);
});

it('keeps the order and never makes a distance longer', () => {
  const counted = countTime(afterJump(60 * MINUTE), MINUTE);
  const times = counted.checkpoints.map(({ atMs }) => atMs);
  expect([...times].sort((a, b) => a - b)).toEqual(times);
  expect(counted.nowMs - START).toBe(3 * MINUTE);
  expect(counted.subject.claimedAtMs).toBe(START);
});
