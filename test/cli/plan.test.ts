import { describe, expect, test } from 'vitest';
import { configuredCost } from '../../src/books/prices/price-book.js';
import { approvalOf } from '../../src/cli/plan/approve-plan.js';
import { type ChangedId, changedColumns, noteChanged } from '../../src/cli/plan/changed-rows.js';
import { planJson } from '../../src/cli/plan/make-plan.js';
import { newPlanTally, type PlanTally, planCosts, tallyRow } from '../../src/cli/plan/plan-tally.js';
import { costText, type Plan } from '../../src/cli/plan/plan-view.js';
import { coveredBy, refuseChangedRows, refuseTakenNames } from '../../src/cli/plan/refuse-rows.js';
import { type PlannedRow, planRow } from '../../src/cli/plan/row-planner.js';
import { renderTimeOf, wallClock } from '../../src/cli/plan/wall-clock.js';
import { takenName } from '../../src/cli/reuse/check-render.js';
import type { Attempt, AttemptState, Intent } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { rowRecord } from '../support/row-record.js';

const CREDIT = 1_000_000_000;
const LIST = 1_000_000_000;
const row: Row = { index: 0, line: 2, id: 'a', kind: 'svc/image', stem: 'a', cells: {}, media: {}, hash: 'new' };

function tallyOf(...prices: ({ lo: number; hi: number | null } | null)[]): PlanTally {
  const tally = newPlanTally();
  for (const price of prices) tallyRow(tally, row, { plan: 'submit' }, price);
  return tally;
}

function planOf(tally: PlanTally): Plan {
  return {
    batch: 'b',
    manifest: 'b.csv',
    account: 'a',
    costs: planCosts(tally, () => LIST),
    discounts: [],
    credits: undefined,
    caps: undefined,
    time: undefined,
    costNotes: [],
    keptRows: 0,
    changedRows: 0,
    chains: { count: 0, rows: 0, fed: 0, longest: 0, cost: planCosts(newPlanTally(), () => LIST).total },
    fileSettings: [],
    cancelledRows: 0,
    skippedFiles: [],
  };
}

describe('costs', () => {
  test('bounds add up; what has no upper bound is unknown', () => {
    const { total } = planCosts(tallyOf({ lo: 1, hi: 3 }, { lo: 2, hi: 2 }, { lo: 5, hi: null }, null), () => LIST);
    expect(total).toMatchObject({ rows: 4, toSubmit: 4, lowNano: 3, worstNano: 5, unknown: 2 });
  });

  test('a discounted sum holds what a budget reserves row by row', () => {
    const rules = [{ components: [{ unit: 'megapixel' as const, credits: '0.0006' }] }];
    const image = { ...row, cells: { width: 1024, height: 1024 } };
    const at = (ppb: number) => configuredCost(image, rules, ppb);
    const prices = Array.from({ length: 100 }, () => at(LIST));
    const { total } = planCosts(tallyOf(...prices), () => 0.8 * LIST);
    expect(total).toMatchObject({ lowNano: total.worstNano, worstNano: 100 * (at(0.8 * LIST)?.hi ?? 0) });
  });

  test('finished and joined rows cost nothing more', () => {
    const tally = tallyOf({ lo: CREDIT, hi: CREDIT });
    tallyRow(tally, row, { plan: 'joined' }, null);
    tallyRow(tally, { kind: 'svc/clip', group: 'g' }, { plan: 'finished', status: 'done', creditsNano: null }, null);
    const { total, byKind, byGroup } = planCosts(tally, () => LIST);
    expect(total).toMatchObject({ rows: 3, toSubmit: 1, joined: 1, finished: 1, unknown: 0, worstNano: CREDIT });
    expect([...byKind.keys()]).toEqual(['svc/image', 'svc/clip']);
    expect(byGroup.get('g')).toMatchObject({ rows: 1, finished: 1 });
    expect(tally).toMatchObject({ ended: { done: 1 }, endedUnknown: 1 });
  });

  test('each kind has its discount', () => {
    const tally = tallyOf({ lo: CREDIT, hi: CREDIT });
    tallyRow(tally, { kind: 'vendor-d/video' }, { plan: 'submit' }, { lo: CREDIT, hi: CREDIT });
    const { total } = planCosts(tally, (kind) => (kind === 'svc/image' ? LIST * 0.8 : LIST));
    expect(total.worstNano).toBe(1.8 * CREDIT);
  });

  test('as JSON what is not known is null, never 0', () => {
    const cost = (...prices: Parameters<typeof tallyOf>) => planJson(planOf(tallyOf(...prices)));
    const known = { lo: CREDIT, hi: 2 * CREDIT };
    expect(cost(null, null)).toMatchObject({
      cost: { low: null, expected: null, worst: null, unknownRows: 2 },
      byKind: { 'svc/image': { cost: { worst: null } } },
    });
    expect(cost(null, known)).toMatchObject({ cost: { low: '1', expected: null, worst: null, unknownRows: 1 } });
    expect(cost(known)).toMatchObject({ cost: { low: '1', expected: '1.5', worst: '2', unknownRows: 0 } });
    expect(cost()).toMatchObject({ cost: { low: '0', expected: '0', worst: '0' } });
  });

  test('in words', () => {
    const words = (tally: PlanTally) => costText(planCosts(tally, () => LIST).total);
    expect(words(tallyOf())).toBe('nothing new to pay');
    expect(words(tallyOf({ lo: CREDIT, hi: CREDIT }))).toBe('1 credits');
    expect(words(tallyOf({ lo: CREDIT, hi: 3 * CREDIT }))).toBe('2 credits expected (low 1, worst 3)');
    expect(words(tallyOf(null))).toMatch(/^unknown: 1 row has no known price/);
    expect(words(tallyOf(null, { lo: CREDIT, hi: CREDIT }))).toMatch(/^1 credits for 1 row; 1 row has no known price/);
  });
});

describe('approval', () => {
  const ask = { maxCredits: null, askAbove: CREDIT };
  test.each([
    ['nothing to pay', tallyOf(), ask, false, 'granted'],
    ['nothing to pay, with the smallest budget', tallyOf(), { ...ask, maxCredits: 1_000 }, false, 'granted'],
    ['at the threshold', tallyOf({ lo: 0, hi: CREDIT }), ask, false, 'granted'],
    ['above it', tallyOf({ lo: 0, hi: CREDIT + 1 }), ask, false, 'ask'],
    ['above it, with --yes', tallyOf({ lo: 0, hi: CREDIT + 1 }), ask, true, 'granted'],
    ['an unknown price', tallyOf(null), ask, false, 'ask'],
    ['an unknown price, with --yes', tallyOf(null), ask, true, 'granted'],
    ['an unknown price, with a budget', tallyOf(null), { ...ask, maxCredits: 9 * CREDIT }, true, 'refused'],
    ['within the budget', tallyOf({ lo: 0, hi: 9 * CREDIT }), { ...ask, maxCredits: 9 * CREDIT }, false, 'granted'],
    ['above the budget', tallyOf({ lo: 0, hi: 9 * CREDIT + 1 }), { ...ask, maxCredits: 9 * CREDIT }, true, 'refused'],
  ])('%s', (_name, tally, budget, isSaidYes, approval) => {
    expect(approvalOf(planOf(tally), budget, isSaidYes).approval).toBe(approval);
  });
});

describe('what running does with a row', () => {
  const intent = (rowHash: string): Intent => ({
    state: 'intent',
    atMs: 1,
    nonce: 'n',
    rowHash,
    kind: 'svc/image',
    generation: 'g',
    part: 0,
    index: 0,
    expected: null,
  });
  const attempt = (...states: AttemptState[]): Attempt => ({ n: 1, states, torn: false });
  const record = (more: Partial<RowRecord> = {}) => rowRecord({ rowHash: 'new', ...more });
  const refused: AttemptState = { state: 'refused', atMs: 2, rule: 'T3', next: 'fail_row', message: 'no' };
  const created: AttemptState = { state: 'created', atMs: 2, handle: 'h' };
  const retry = { beforeMs: 10, classes: [] };

  test('never tried: submit', () => {
    const stopped = { ...record(), status: 'not_started', attempts: 0, files: [] } as RowRecord;
    const cancelled = { plan: 'finished', status: 'cancelled' };
    expect(planRow(row, stopped, [], null, true).plan, 'the batch was cancelled since').toMatchObject(cancelled);
    expect(planRow(row, stopped, [], null, false).plan).toEqual({ plan: 'submit' });
    expect(planRow(row, undefined, [], null, false)).toEqual({
      ...{ row, plan: { plan: 'submit' }, isUntried: true, mayReuse: true },
    });
  });

  test('finished rows stay, failed ones go again with a retry', () => {
    expect(planRow(row, record({ creditsNano: 7 }), [], retry, false).plan).toEqual({
      plan: 'finished',
      ended: true,
      status: 'done',
      creditsNano: 7,
    });
    const failed = record({ status: 'failed', reasonCode: 'render_failed' });
    expect(planRow(row, failed, [], null, false).plan).toMatchObject({ plan: 'finished', status: 'failed' });
    expect(planRow(row, failed, [attempt(intent('new'), refused)], retry, false).plan).toEqual({ plan: 'submit' });
  });

  test('a row with a handle is joined', () => {
    expect(planRow(row, undefined, [attempt(intent('new'), created)], null, false).plan).toEqual({ plan: 'joined' });
  });

  test('untouched rows of a cancelled batch count as cancelled until a retry', () => {
    expect(planRow(row, undefined, [], null, true).plan).toMatchObject({ plan: 'finished', status: 'cancelled' });
    expect(planRow(row, undefined, [], retry, false).plan).toEqual({ plan: 'submit' });
  });

  test('changed content is told with the hash that was submitted', () => {
    expect(planRow(row, record({ rowHash: 'old' }), [attempt(intent('old'), created)], null, false)).toMatchObject({
      row,
      changed: { submittedHash: 'old', isOpen: false },
    });
    expect(planRow(row, undefined, [attempt(intent('old'), created)], null, false).changed).toEqual({
      submittedHash: 'old',
      isOpen: true,
    });
    // What never cost anything binds nobody: the new content is simply the content (design 2).
    expect(planRow(row, undefined, [attempt(intent('old'), refused)], null, false)).toEqual({
      row,
      isUntried: false,
      mayReuse: true,
      plan: { plan: 'submit' },
    });
    expect(planRow(row, record({ rowHash: 'old', attempts: 0, status: 'failed' }), [], null, false)).toEqual({
      row,
      isUntried: true,
      mayReuse: true,
      plan: { plan: 'submit' },
    });
  });

  test('4-U11: changed rows are refused with the columns that changed, open ones in any case', () => {
    const changed = { submittedHash: 'old', isOpen: false, columns: ['prompt', 'width'] };
    const planned = { row, plan: { plan: 'submit' as const }, isUntried: false };
    const noted = (...rows: PlannedRow[]) => {
      const found: ChangedId[] = [];
      for (const one of rows) noteChanged(found, one);
      return found;
    };
    const closed = noted({ ...planned, changed });
    const open = noted({ ...planned, changed: { submittedHash: 'old', isOpen: true } });
    const place = { path: 'b.csv' };
    expect(() => refuseChangedRows([], place, false)).not.toThrow();
    expect(() => refuseChangedRows(closed, place, false)).toThrow(
      "b.csv:2:1: B48 row 'a' was submitted with other values (changed: prompt, width); give it a new id or use --changed rerun=a (costs again)\n1 row was",
    );
    expect(() => refuseChangedRows(closed, place, true)).not.toThrow();
    expect(() => refuseChangedRows(open, place, true)).toThrow(/has not ended: wait for it/);
    // Rows that are not named by the order are refused as without it.
    const both = noted({ ...planned, changed }, { ...planned, changed, row: { ...row, id: 'z' } });
    expect(() => refuseChangedRows(both, place, new Set(['a']))).toThrow(/row 'z' .*\n1 row was submitted/);
    expect(() => refuseChangedRows(both, place, new Set(['a', 'z']))).not.toThrow();
  });

  test('4-U11: an order by id holds for any number of changed rows; those that it does not name are refused with their line', () => {
    const found: ChangedId[] = [];
    const changed = { submittedHash: 'old', isOpen: false };
    const media = { image: [{ source: 'row' as const, id: 'r0', at: 0 }] };
    for (let at = 0; at < 1_500; at += 1) {
      const one: Row = { ...row, id: `r${at}`, line: at + 2, ...(at > 0 && at < 1_400 ? { media } : {}) };
      noteChanged(found, { row: one, plan: { plan: 'submit' }, isUntried: false, changed });
    }
    expect(found.filter(({ planned }) => planned !== undefined)).toHaveLength(1_000);
    const last = Array.from({ length: 100 }, (_, at) => `r${1_400 + at}`);
    const place = { path: 'b.csv' };
    expect(() => refuseChangedRows(found, place, coveredBy(new Set(['r0', ...last]), found, false))).not.toThrow();
    expect(() => refuseChangedRows(found, place, coveredBy(new Set(['r0', ...last.slice(1)]), found, false))).toThrow(
      "b.csv:1402:1: B48 row 'r1400' was submitted with other values; give it a new id or use --changed rerun=r1400 (costs again)\n1 row was",
    );
  });

  test('4-U11: what changed is named by its columns', () => {
    const media = { image: [{ source: 'url' as const, url: 'https://a.example/1.png' }] };
    const before: Row = { ...row, cells: { prompt: 'a', width: 10, seed: 1 }, media };
    expect(changedColumns(before, { ...before, hash: 'h', stem: 's' })).toEqual([]);
    expect(changedColumns(before, { ...before, cells: { prompt: 'b', width: 10 }, media: {} })).toEqual([
      'prompt',
      'seed',
      'image',
    ]);
    expect(changedColumns(before, { ...before, kind: 'svc/edit', extra: { x: 1 } })).toEqual(['kind', 'extra']);
  });

  test('of a row whose name is taken no more is kept than is said of it', () => {
    const { index, id, line, stem } = row;
    const kept = takenName({ ...row, cells: { prompt: 'p'.repeat(9_000) } }, { file: 'media/a.png', owner: 'b' });
    expect(kept).toEqual({ row: { index, id, line, stem }, file: 'media/a.png', owner: 'b' });
  });

  test('taken names are refused with the file', () => {
    expect(() =>
      refuseTakenNames({ taken: [{ row, file: 'media/a.png' }], takenCount: 3 }, { path: undefined }),
    ).toThrow(
      '<stdin>:2:1: B47 refusing to overwrite media/a.png; use --on-exists skip or version, or another --out\n3 output names are',
    );
  });
});

describe('wall-clock', () => {
  const seen = new Map([['vendor-f/video' as const, { p5: 50_000, p50: 60_000, p95: 70_000 }]]);
  const question = { seen, isSync: () => false, timeScale: 1 };

  test('few slots bind', () => {
    const time = wallClock({
      ...question,
      paths: [],
      rows: new Map([['vendor-f/video', 100]]),
      concurrent: 10,
      rpm: 10_000,
    });
    expect(time).toEqual({
      atLeastMs: 600_000,
      lowMs: 500_000,
      highMs: 700_000,
      bound: 'simultaneous jobs',
      unseen: [],
    });
  });

  test('few requests bind: submits and polls count', () => {
    const time = wallClock({
      ...question,
      paths: [],
      rows: new Map([['vendor-f/video', 100]]),
      concurrent: 1_000,
      rpm: 65,
    });
    expect(time.bound).toBe('requests per minute');
    // One submit and at least three polls each, at 61 requests in 61 s.
    expect(time.atLeastMs).toBeGreaterThanOrEqual(400_000);
  });

  test('however many slots are free, a batch takes as long as one render', () => {
    const time = wallClock({
      ...question,
      paths: [],
      rows: new Map([['vendor-f/video', 2]]),
      concurrent: 10,
      rpm: 10_000,
    });
    expect(time).toMatchObject({ atLeastMs: 60_000, bound: 'one render', unseen: [] });
  });

  test('kinds that were never seen are named', () => {
    const time = wallClock({ ...question, paths: [], rows: new Map([['svc/clip', 4]]), concurrent: 5, rpm: 60 });
    expect(time.unseen).toEqual(['svc/clip']);
  });

  test('rows that wait for others bind where slots and requests do not', () => {
    const paths = [['vendor-f/video', 'vendor-f/video', 'vendor-f/video']] as const;
    const rows = new Map([['vendor-f/video', 3]] as const);
    const time = wallClock({ ...question, paths, rows, concurrent: 100, rpm: 10_000 });
    expect(time).toMatchObject({ atLeastMs: 180_000, bound: 'rows that wait for others', unseen: [] });
  });

  test('percentiles', () => {
    expect(renderTimeOf([])).toBeUndefined();
    expect(renderTimeOf([5])).toEqual({ p5: 5, p50: 5, p95: 5 });
    expect(renderTimeOf(Array.from({ length: 100 }, (_, i) => 100 - i))).toEqual({ p5: 6, p50: 51, p95: 96 });
  });
});
