// Why slots were free: only what was recorded is said, and the rest is not known.

import { expect, test } from 'vitest';
import type { PageRow } from '../../src/dashboard/answers.js';
import {
  type BatchHistory,
  fullMinutes,
  type SlotHistory,
  slotHistory,
  unusualRows,
} from '../../src/dashboard/slot-history.js';
import { gapsOf, timeOf } from '../../src/dashboard/time.js';
import type { Attempt, AttemptState } from '../../src/domain/attempt.js';

const NONE: SlotHistory = { held: [], verdict: [], ready: [], paused: [], full: [], caps: [{ atMs: 0, cap: 2 }] };
const BINS = { fromMs: 0, toMs: 100, widthMs: 50, count: 2 };
const span = (startMs: number, endMs: number) => ({ startMs, endMs });

/** Slots × ms of the causes that there are. */
function totals(history: Partial<SlotHistory>): Record<string, number> {
  const gaps = gapsOf({ ...NONE, ...history }, BINS);
  return Object.fromEntries(Object.entries(gaps?.totals ?? {}).filter(([, ms]) => ms > 0));
}

test('free slots divide by what kept rows from them; what nothing explains is not known', () => {
  expect(totals({})).toEqual({ idle: 200 });
  expect(totals({ held: [span(0, 100), span(0, 50)] })).toEqual({ idle: 50 });
  const waiting = [span(0, 100), span(0, 100), span(0, 100)];
  expect(totals({ ready: waiting })).toEqual({ unknown: 200 });
  expect(totals({ ready: waiting, paused: [span(20, 60)] })).toEqual({ paused: 80, unknown: 120 });
  expect(totals({ ready: waiting, full: [span(0, 100)], paused: [span(20, 60)] })).toEqual({
    paused: 80,
    requests: 120,
  });
  expect(totals({ ready: [span(0, 10)], verdict: [span(0, 100)] })).toEqual({ verdict: 100, unknown: 10, idle: 90 });
});

test('a pause without rows that wait kept nothing back, and more jobs than the plan has leave no gap', () => {
  expect(totals({ paused: [span(0, 100)] })).toEqual({ idle: 200 });
  expect(totals({ held: [span(0, 100), span(0, 100), span(0, 100)], verdict: [span(0, 100)] })).toEqual({});
});

test('the plan’s slots count from the reading that says them; without one nothing is said', () => {
  expect(totals({ caps: [{ atMs: 60, cap: 1 }] })).toEqual({ idle: 40 });
  expect(gapsOf({ ...NONE, caps: [] }, BINS)).toBeNull();
});

test('each bin has its part', () => {
  const gaps = gapsOf({ ...NONE, held: [span(25, 100)] }, BINS);
  expect(gaps?.values.idle).toEqual([1.5, 1]);
  expect(Object.keys(gaps?.values ?? {})).toEqual(['verdict', 'paused', 'requests', 'idle', 'unknown']);
});

test('a minute is full once as many requests left as it takes', () => {
  expect(fullMinutes([0, 1_000, 2_000], 3)).toEqual([span(1_000, 61_000), span(2_000, 62_000)]);
  expect(fullMinutes([0, 70_000], 3)).toEqual([]);
  expect(fullMinutes([0, 0], 0)).toEqual([]);
});

const row = (index: number, facts: Partial<PageRow>, fed: PageRow['fed'] = []): PageRow =>
  ({
    ...{ index, id: `r${index}`, kind: 'svc/image', status: 'done', attempts: 1, credits: null, fed, isShared: false },
    ...{ submittedAtMs: null, renderedAtMs: null, finishedAtMs: null, ...facts },
  }) as unknown as PageRow;
const done = (at: number, startMs: number, endMs: number, fed: PageRow['fed'] = []): PageRow =>
  row(at, { submittedAtMs: startMs, renderedAtMs: endMs, finishedAtMs: endMs }, fed);
const SILENT: BatchHistory = { attempts: new Map(), pauses: [], sentMs: [] };
const batch = (...rows: PageRow[]) => ({ rows, failures: [], files: new Map(), generation: 'g', readAtMs: 100_000 });

test('a row is ready when what feeds it has ended, and no row of another’s render or without a slot counts', () => {
  const shared = row(3, { submittedAtMs: 1, finishedAtMs: 2, isShared: true });
  const rows = [done(0, 5, 10), done(1, 40, 50, [{ id: 'r0', at: 0 }]), shared];
  const { ready, held } = slotHistory(batch(...rows), SILENT, [], 0);
  expect([ready, held]).toEqual([
    [span(0, 5), span(10, 40)],
    [span(5, 10), span(40, 50)],
  ]);
});

const attempt = (n: number, ...states: unknown[]): Attempt => ({ n, torn: false, states: states as AttemptState[] });

test('of a lost answer: held until it was lost, for a verdict until somebody decides, held again where its job is found', () => {
  const lost = [
    { state: 'intent', atMs: 10 },
    { state: 'unknown', atMs: 20, evidence: { rule: 'T11', message: '' } },
  ];
  const attempts = new Map([
    ['r0', [attempt(1, ...lost, { state: 'verdict', atMs: 60, verdict: 'not_billed', sentence: '' })]],
    ['r1', [attempt(1, ...lost, { state: 'attached', atMs: 40, handle: 'h' }, { state: 'rendered', atMs: 70 })]],
    ['r2', [attempt(1, ...lost)]],
  ]);
  const rows = [row(0, { status: 'review' }), row(1, { attempts: 2 }), row(2, { status: 'checking' }), done(3, 1, 2)];
  expect(unusualRows(batch(...rows))).toEqual(['r0', 'r1', 'r2']);
  const { held, verdict } = slotHistory(batch(...rows), { ...SILENT, attempts }, [], 0);
  expect(held).toEqual([span(10, 20), span(10, 20), span(40, 70), span(10, 20), span(1, 2)]);
  expect(verdict).toEqual([span(20, 60), span(20, 40), span(20, 100_000)]);
});

test('paused: by its user, until now where it lasts, and for want of credits until the next submit', () => {
  const refused = { state: 'refused', atMs: 30, next: 'pause_credits', rule: 'S', message: '' };
  const attempts = new Map([
    ['r0', [attempt(1, { state: 'intent', atMs: 20 }, refused), attempt(2, { state: 'intent', atMs: 90 })]],
  ]);
  const pauses = [
    { fromMs: 1, toMs: 5 },
    { fromMs: 95, toMs: null },
  ];
  const { paused } = slotHistory(batch(row(0, { attempts: 2 })), { attempts, pauses, sentMs: [] }, [], 0);
  expect(paused).toEqual([span(1, 5), span(95, 100_000), span(30, 90)]);
});

test('a batch that goes on has gaps until now, one at rest until its last row', () => {
  const rows = batch(done(0, 0, 10_000));
  const readings = [{ atMs: 0, balanceNano: 0, rpm: 60, concurrent: 1, plan: null }];
  const idle = (isRunning: boolean) =>
    timeOf(rows, { beganAtMs: 0, readings, history: SILENT, isRunning }).gaps?.totals.idle;
  expect([idle(true), idle(false)]).toEqual([90_000, 0]);
});

test('what takes no slot is submitted all the same', () => {
  const rows = batch({ ...done(0, 0, 10_000), kind: 'vendor-f/interaction' } as PageRow);
  const { heldCount, submits, slots } = timeOf(rows, { beganAtMs: 0, readings: [], history: SILENT, isRunning: false });
  expect([heldCount, submits.values, Math.max(...slots.values)]).toEqual([0, [1], 0]);
});

test('a batch may have filled more minutes than a call takes arguments', () => {
  const sentMs = Array.from({ length: 200_000 }, (_, at) => at);
  const readings = [{ rpm: 2, concurrent: null }] as unknown as Parameters<typeof slotHistory>[2];
  const { full } = slotHistory(batch(), { ...SILENT, sentMs }, readings, 0);
  expect(full).toHaveLength(200_000);
});
