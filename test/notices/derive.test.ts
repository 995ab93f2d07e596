import { expect, test } from 'vitest';
import { type BatchSeen, tidingsOf, toldAfter } from '../../src/notices/derive.js';

const RUNNING: BatchSeen = { counts: { done: 1 }, credits: '1', budget: null, pauses: [], quiet: null, end: null };
const END = { run: 'r1', isSampled: false, stopped: null };

/** What is told at each look, one after the other. */
function story(...looks: Partial<BatchSeen>[]): unknown[][] {
  let told: string[] = [];
  return looks.map((look) => {
    const tidings = tidingsOf({ ...RUNNING, ...look }, new Set(told));
    told = toldAfter(told, tidings);
    return tidings.map(({ what }) =>
      [what.type, what.percent ?? what.reason ?? what.minutes].filter(Boolean).join(' '),
    );
  });
}

test('the end of a run is told once, and that of the next run again', () => {
  expect(story({}, { end: END }, { end: END }, { end: { ...END, run: 'r2' } })).toEqual([[], ['done'], [], ['done']]);
  expect(story({ end: { ...END, isSampled: true } })).toEqual([['sampled']]);
  expect(story({ end: { ...END, stopped: 'too_many_failures' } })).toEqual([['done too_many_failures']]);
});

test('50, 80 and 100 % of a budget, each once, the highest alone; a new budget counts anew', () => {
  const spent = (spentNano: number, maxNano = 100) => ({ budget: { spentNano, maxNano } });
  expect(story(spent(49), spent(50), spent(79), spent(95), spent(60), spent(100))).toEqual([
    [],
    ['budget 50'],
    [],
    ['budget 80'],
    [],
    ['budget 100'],
  ]);
  expect(story(spent(100), spent(100, 200))).toEqual([['budget 100'], ['budget 50']]);
  expect(story({ ...spent(97), end: { ...END, stopped: 'budget_reached' } })).toEqual([
    ['budget 100', 'done budget_reached'],
  ]);
});

test('a pause is told with why, and the same reason again when it comes again', () => {
  const paused = (sinceMs: number) => ({ pauses: [{ reason: 'credits', sinceMs }] });
  expect(story(paused(1), paused(1), {}, paused(2))).toEqual([['paused credits'], [], [], ['paused credits']]);
});

test('rows that need a person are told once per run', () => {
  const review = { counts: { review: 1 } };
  expect(story(review, review, { ...review, end: END }, review)).toEqual([
    ['review_needed'],
    [],
    ['done'],
    ['review_needed'],
  ]);
});

test('no progress for longer than a row may take is told once, not while it is paused', () => {
  const quiet = (forMs: number) => ({ quiet: { forMs, sinceMs: 5, longestMs: 3_600_000 } });
  expect(story(quiet(3_600_000), quiet(3_660_000), quiet(7_200_000))).toEqual([[], ['no_progress 61'], []]);
  expect(story({ ...quiet(9_000_000), pauses: [{ reason: 'user', sinceMs: 1 }] })).toEqual([['paused user']]);
});
