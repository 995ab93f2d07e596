import { expect, test } from 'vitest';
import { type BatchSeen, lateToTell, type Told, toTell } from '../../src/notices/derive.js';

const MINUTE_MS = 60_000;
const RUNNING: BatchSeen = {
  ...{ atMs: 1_000 * MINUTE_MS, timeScale: 1, counts: { done: 1 }, credits: '1' },
  ...{ budget: null, pauses: [], forPerson: null, progress: null, end: null },
};
const END = { run: 'r1', sample: null, stopped: null };

/** What is told at each look, one after the other. */
function story(...looks: Partial<BatchSeen>[]): string[][] {
  let told: Told = { told: [] };
  return looks.map((look) => {
    const { tidings, told: after } = toTell({ ...RUNNING, ...look }, told);
    told = after;
    return tidings.map(({ what: { type, percent, reason, minutes, counts } }) => {
      const rows = type === 'review_needed' ? Object.values(counts ?? {}).join('+') : undefined;
      return [type, percent ?? reason ?? minutes ?? rows].filter(Boolean).join(' ');
    });
  });
}

test('the end of a run is told once, and that of the next run again', () => {
  expect(story({}, { end: END }, { end: END }, { end: { ...END, run: 'r2' } })).toEqual([[], ['done'], [], ['done']]);
  expect(story({ end: { ...END, stopped: 'too_many_failures' } })).toEqual([['done too_many_failures']]);
});

test('a sample is told once, though its rows are run again, and not where it stopped early; another sample again', () => {
  const sampled = (run: string, sample = 's1', stopped: string | null = null) => ({ end: { run, sample, stopped } });
  expect(
    story(
      ...[sampled('r1', 's1', 'budget_reached'), sampled('r2'), sampled('r2'), sampled('r3')],
      ...[sampled('r4', 's2'), { end: { ...END, run: 'r5' } }],
    ),
  ).toEqual([['done budget_reached'], ['sampled'], [], [], ['sampled'], ['done']]);
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
  expect(story(spent(100), spent(100, 200), spent(200, 200), spent(200, 200))).toEqual([
    ['budget 100'],
    ['budget 50'],
    ['budget 100'],
    [],
  ]);
  expect(story({ ...spent(97), end: { ...END, stopped: 'budget_reached' } })).toEqual([
    ['budget 100', 'done budget_reached'],
  ]);
  const stopped = { ...RUNNING, end: { ...END, stopped: 'budget_reached' } };
  const whyAt = (spentNano: number) => toTell({ ...stopped, ...spent(spentNano) }, { told: [] }).tidings[0]?.what;
  expect(whyAt(97)).toMatchObject({ percent: 100, reason: 'budget_reached' });
  expect(whyAt(100)).not.toHaveProperty('reason');
});

test('a pause is told with why, and the same reason again when it comes again', () => {
  const paused = (sinceMs: number) => ({ pauses: [{ reason: 'credits', sinceMs }] });
  expect(story(paused(1), paused(1), {}, paused(2))).toEqual([['paused credits'], [], [], ['paused credits']]);
});

test('pauses that come and go make nobody forget which level of a budget was told', () => {
  const budget = { spentNano: 80, maxNano: 100 };
  const flapping = Array.from({ length: 300 }, (_, i) => ({
    budget: null,
    pauses: [{ reason: 'credits', sinceMs: i }],
  }));
  const told = story({ budget }, ...flapping, { budget }, { budget: { spentNano: 60, maxNano: 100 } });
  expect([told[0], told.at(-2), told.at(-1)]).toEqual([['budget 80'], [], []]);
  const toldKeys = flapping.reduce((before, look) => toTell({ ...RUNNING, ...look }, before).told, {
    told: [],
  } as Told);
  expect(toldKeys.told).toHaveLength(200);
});

/** So many rows need a person, the latest of which ended at that minute; they are seen a minute later where not said. */
const needing = (review: number, latest: number, at = latest + 1, lost_paid = 0) => ({
  atMs: at * MINUTE_MS,
  forPerson: { counts: { review, lost_paid }, latestMs: latest * MINUTE_MS },
});

test('the first row that needs a person is told at once, those of the next minutes together', () => {
  expect(story(needing(0, 0, 100), needing(1, 100), needing(1, 100, 130), needing(1, 140, 141, 1))).toEqual([
    [],
    ['review_needed 1+0'],
    [],
    ['review_needed 1+1'],
  ]);
  const night = Array.from({ length: 480 }, (_, i) => needing(i + 1, 100 + i));
  const told = story(...night).flat();
  expect(told.length).toBe(480 / 15);
  expect(told.slice(0, 2)).toEqual(['review_needed 1+0', 'review_needed 16+0']);
});

test('the end tells of rows that nobody was told of yet, and of no others', () => {
  const ends = (run: string) => ({ end: { ...END, run } });
  expect(
    story(needing(1, 100), needing(3, 103), { ...needing(3, 103), ...ends('r1') }, needing(3, 103, 200), {
      ...needing(3, 103, 201),
      ...ends('r2'),
    }),
  ).toEqual([['review_needed 1+0'], [], ['review_needed 3+0', 'done'], [], ['done']]);
});

test('a row that needs a person is told though another was settled since, also where it had ended before', () => {
  expect(story(needing(2, 100), needing(1, 90, 120), needing(2, 130))).toEqual([
    ['review_needed 2+0'],
    [],
    ['review_needed 2+0'],
  ]);
  // The books contradict the end of a row that ended before those that were told.
  expect(story(needing(2, 100), needing(0, 0, 120), needing(1, 90, 140)).at(-1)).toEqual(['review_needed 1+0']);
});

/** A look at a batch of which no more rows may take longer than an hour. */
const ended = (rows: number, at: number, how: Partial<NonNullable<BatchSeen['progress']>> = {}) => ({
  atMs: at * MINUTE_MS,
  progress: {
    ...{ rows, startedAtMs: 0, isHeld: false },
    ...{ longestMs: 60 * MINUTE_MS, servedMs: 10 * MINUTE_MS },
    ...how,
  },
});

test('no progress for longer than a row may take is told once, and again after there was some', () => {
  expect(story(ended(1, 100), ended(1, 160), ended(1, 161), ended(1, 220), ended(2, 230), ended(2, 291))).toEqual([
    ...[[], [], ['no_progress 61'], [], [], ['no_progress 61']],
  ]);
});

test('a batch that is paused or ends early is not without progress, nor is it right after that', () => {
  const held = (at: number) => ended(1, at, { isHeld: true });
  expect(story(ended(1, 100), held(155), held(300), ended(1, 301), ended(1, 360), ended(1, 361))).toEqual([
    ...[[], [], [], [], [], ['no_progress 61']],
  ]);
});

test('neither a run nor a worker that has just begun is without progress', () => {
  expect(story(ended(1, 100), ended(1, 500, { startedAtMs: 499 * MINUTE_MS }))).toEqual([[], []]);
  expect(story(ended(1, 100), ended(1, 500, { servedMs: 1_000 }), ended(1, 501))).toEqual([
    [],
    [],
    ['no_progress 401'],
  ]);
});

test('an output that came late is told once, and again after the next end', () => {
  const first = lateToTell({ told: [] });
  const again = lateToTell(first.told);
  const next = lateToTell(toTell({ ...RUNNING, end: END }, first.told).told);
  expect([first, again, next].map(({ tidings }) => tidings.length)).toEqual([1, 0, 1]);
});
