// When an account keeps still for lost answers (design 3, Verdicts): once an hour for all that are due, a group at once.
import { expect, it } from 'vitest';
import { quietFor } from '../../src/books/check/counted-time.js';
import type { Case, Evidence } from '../../src/books/check/evidence.js';

const minute = 60_000;
const hour = 60 * minute;

/** Due, as the readings tell it, at a minute of an hour. */
function dueAt(atMinute: number, name = 'b/a/1'): Case {
  const t0Ms = 100 * hour + (atMinute - 5) * minute;
  return { name, claimedAtMs: t0Ms, t0Ms, dueAfterMs: 3 * minute, backAfterMs: null, price: { lo: 1, hi: 1 } };
}

function evidence(subject: Case, change: Partial<Evidence> = {}): Evidence {
  return {
    nowMs: 0,
    exclusive: true,
    lambdaMs: 2 * minute,
    rhoMs: 30 * minute,
    roundingNano: 1,
    apartMs: 1,
    readings: [],
    movements: [],
    subject,
    rivals: [],
    equals: [],
    patienceMs: 10 * minute,
    giveUpAfterMs: 100 * minute,
    ...change,
  };
}

const quietFrom = (subject: Case, change?: Partial<Evidence>): number | undefined => {
  const quiet = quietFor(evidence(subject, change), hour, 0);
  return quiet && (quiet.fromMs - 100 * hour) / minute;
};

it('comes at the next full hour once ten minutes have not settled a case, so that all that are due share it', () => {
  expect(quietFrom(dueAt(20))).toBe(60);
  expect(quietFrom(dueAt(50))).toBe(60);
  expect(quietFor(evidence(dueAt(20)), hour, 0)?.untilMs).toBe(100 * hour + 100 * minute);
});

it('is never further away than an hour after the case is due', () => {
  for (let at = 1; at <= 60; at += 1) {
    const from = quietFrom(dueAt(at)) ?? 0;
    expect(from - at).toBeGreaterThanOrEqual(0);
    expect(from - at).toBeLessThanOrEqual(60);
  }
});

it('comes at once when the last member of a group is due, and not before', () => {
  const rivals = [dueAt(35, 'b/b/1'), dueAt(10, 'b/c/1')];
  expect(quietFrom(dueAt(20), { rivals, equals: ['b/b/1'] })).toBe(35);
});

it('is of no use where others use the account', () => {
  expect(quietFrom(dueAt(20), { exclusive: false })).toBeUndefined();
});

it('the hours are those of the clock, however long the machine slept while each case was open', () => {
  const [slept, awake] = [quietFor(evidence(dueAt(20)), hour, 17 * minute), quietFor(evidence(dueAt(20)), hour, 0)];
  expect(((slept?.fromMs ?? 0) + 17 * minute) % hour).toBe(0);
  expect((awake?.fromMs ?? 0) % hour).toBe(0);
});
