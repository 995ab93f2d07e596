import { expect, it } from 'vitest';
import { countTime } from '../../src/books/check/counted-time.js';
import type { Evidence } from '../../src/books/check/evidence.js';
import { settle } from '../../src/books/check/settle.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1, 12);

/** A lost answer of a family that charges at submit, looked at every minute and then with the clock an hour ahead. */
function afterJump(jumpMs: number): Evidence {
  const read = (minute: number, aheadMs: number) => {
    const atMs = START + aheadMs + minute * MINUTE;
    return { askedMs: atMs, atMs, balanceNano: 10_000_000_000 };
  };
  return {
    nowMs: START + jumpMs + 4 * MINUTE,
    exclusive: true,
    lambdaMs: 2 * MINUTE,
    rhoMs: 30 * MINUTE,
    roundingNano: 1_000,
    apartMs: 10_000,
    patienceMs: 10 * MINUTE,
    giveUpAfterMs: 100 * MINUTE,
    readings: [...[-1, 1, 2].map((minute) => read(minute, 0)), ...[3, 4].map((minute) => read(minute, jumpMs))],
    movements: [],
    subject: {
      name: 'b/r/1',
      claimedAtMs: START,
      t0Ms: START,
      dueAfterMs: 3 * MINUTE,
      backAfterMs: null,
      price: { lo: 400_000_000, hi: 400_000_000 },
    },
    rivals: [],
    equals: [],
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
  const times = counted.readings.map(({ atMs }) => atMs);
  expect([...times].sort((a, b) => a - b)).toEqual(times);
  expect(counted.nowMs - START).toBe(3 * MINUTE + 1);
  expect(counted.subject.claimedAtMs).toBe(START);
});

it('what happened within a gap stays before the reading that ends it, and after the one before (F52)', () => {
  const { subject, ...jumped } = afterJump(60 * MINUTE);
  const at = (minute: number, name: string) => ({ ...subject, name, claimedAtMs: START + minute * MINUTE });
  const within = [3, 30, 62.9].map((minute) => at(minute, `within-${minute}`));
  const counted = countTime({ ...jumped, subject, rivals: within }, MINUTE);
  const ends = counted.readings[3]?.atMs ?? 0;
  for (const { claimedAtMs } of counted.rivals) {
    expect(claimedAtMs).toBeLessThan(ends);
    expect(claimedAtMs).toBeGreaterThanOrEqual(counted.readings[2]?.atMs ?? 0);
  }
});

it('the first reading after a claim shows its charge, however little of the time until then counts (F52)', () => {
  const { readings, ...jumped } = afterJump(60 * MINUTE);
  const counted = countTime({ ...jumped, readings: readings.filter((_, i) => i === 0 || i > 2) }, MINUTE);
  expect(counted.readings[1]?.atMs).toBeGreaterThan(counted.subject.claimedAtMs);
});
