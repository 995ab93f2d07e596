import { describe, expect, test } from 'vitest';
import type { ReadyRow } from '../../src/contract/pages.js';
import * as window from '../../workflows/batch-state.js';
import { progressOf } from '../../workflows/batch-state.js';
import { isBoundOfFed } from '../../workflows/budget.js';
import { feedersLeft, freezeChains, isRescan, rescanHeld, takeFed, withEnded } from '../../workflows/chains.js';
import { pageEntry, pageOf } from './support/page-entry.js';

/** `hero` (index 0) is open and feeds others; one row is held, and pages are left. */
function begun() {
  const state = window.newBatchState(0);
  window.supplyRows(state, { generation: 'g', rows: 4, retry: null });
  const next = { part: 0, index: 2 };
  window.takePage(state, pageOf({ entries: [pageEntry(0, 'hero', 1)], feeding: [0], held: 1, next }), 1);
  return state;
}

const ready = (id: string, index: number, change: Partial<ReadyRow> = {}): ReadyRow => ({
  ...{ part: 0, entry: pageEntry(index, id, 1, { begins: 'prepare', kind: 'svc/edit' }) },
  ...change,
});

const look = (rows: ReadyRow[]) => ({ rows, feeders: [], isShort: false, cap: 5 });
const done = (id: string) => ({ id, status: 'done', creditsNano: 2 }) as const;

describe('rows that others feed in the window', () => {
  test('a row that is done is looked at once; one that is not done feeds nothing', () => {
    const state = begun();
    window.countFinished(state, done('hero'), 2);
    expect(feedersLeft(state)).toEqual([{ index: 0, seen: 0 }]);
    takeFed(state, look([ready('edit', 1)]), 1, 'b', 3);
    expect(feedersLeft(state)).toEqual([]);
    expect(state.open).toMatchObject([{ row: { id: 'edit', index: 1 }, isFed: true }]);
    expect(state.chains?.held).toBe(0);
    const failed = begun();
    window.countFinished(failed, { id: 'hero', status: 'failed', creditsNano: 0 }, 2);
    expect(feedersLeft(failed)).toEqual([]);
  });

  test('a row opened before its page is shown when it ends, and counted once', () => {
    const state = begun();
    window.countFinished(state, done('hero'), 2);
    takeFed(state, look([ready('film', 3, { isAhead: true })]), 1, 'b', 3);
    window.countFinished(state, done('film'), 4);
    expect([state.counts.done, progressOf(state, 'running').counts.done]).toEqual([1, 2]);
    window.takePage(state, pageOf({ finished: { done: 1 }, creditsNano: 2 }), 5);
    expect([state.counts.done, progressOf(state, 'running').counts.done]).toEqual([2, 2]);
    expect(progressOf(state, 'running').creditsNano).toBe(4);
  });

  test('a row that ended before its page stays what it is where a cancel ends the rest (I6)', () => {
    const state = begun();
    window.countFinished(state, done('hero'), 2);
    takeFed(state, look([ready('edit', 1), ready('film', 3, { isAhead: true })]), 1, 'b', 3);
    window.countFinished(state, done('film'), 4);
    state.cancelling = true;
    window.endRest(state);
    const { counts, creditsNano } = progressOf(state, 'cancelling');
    expect([counts.done, counts.cancelled, creditsNano]).toEqual([2, 1, 4]);
    window.countFinished(state, done('edit'), 5);
    expect(progressOf(state, 'cancelling').counts).toMatchObject({ done: 3, cancelled: 1 });
  });

  test('the failure bound holds for what a row feeds that ended in the moment in which the last other one failed', () => {
    const state = begun();
    state.limits.maxFailures = { rows: 0 };
    state.cursor = null;
    state.open.push(...state.open.map((one) => ({ ...one, row: { ...one.row, id: 'other', index: 1 } })));
    window.countFinished(state, done('hero'), 2);
    expect(isBoundOfFed(state)).toBe(false);
    window.countFinished(state, { id: 'other', status: 'failed', creditsNano: 0 }, 2);
    expect([feedersLeft(state).length, isBoundOfFed(state)]).toEqual([1, true]);
    state.chains = { held: 1, feeders: [], ahead: { counts: {}, creditsNano: 0 } };
    expect(isBoundOfFed(state)).toBe(false);
  });

  test('a row that ended while its page was read is not started again', () => {
    const read = pageOf({ entries: [pageEntry(3, 'film', 1, { begins: 'prepare', kind: 'svc/edit' })] });
    expect(withEnded(read, [done('film')])).toMatchObject({ entries: [], finished: { done: 1 }, creditsNano: 2 });
  });

  test('what is held when all else has ended is gone through once more, until nothing is found', () => {
    const state = begun();
    state.cursor = null;
    window.countFinished(state, { id: 'hero', status: 'failed', creditsNano: 0 }, 2);
    expect(window.isFinished(state)).toBe(false);
    rescanHeld(state);
    expect(isRescan(state)).toBe(true);
    window.takePage(state, pageOf({}), 3);
    rescanHeld(state);
    expect(window.isFinished(state)).toBe(true);
  });

  /** More rows that are done than are kept, as breadth first leaves them: none is looked at before the last page. */
  function overfull() {
    const state = window.newBatchState(0);
    window.supplyRows(state, { generation: 'g', rows: 2_000, retry: null });
    for (let index = 0; index < 1_000; index += 1) {
      const next = { part: 0, index: index + 1 };
      const held = index === 0 ? 1_000 : 0;
      window.takePage(state, pageOf({ entries: [pageEntry(index, `r${index}`, 1)], feeding: [index], held, next }), 1);
      window.countFinished(state, done(`r${index}`), 2);
    }
    state.cursor = null;
    return state;
  }

  test('the state does not grow with the rows that are done: what the rest feeds is found by a rescan', () => {
    const state = overfull();
    expect(feedersLeft(state).length).toBe(200);
    expect(JSON.stringify(state.chains).length).toBeLessThan(10_000);
    rescanHeld(state);
    expect(state.cursor).toBeNull();
    takeFed(state, look([ready('edit', 1_500)]), 200, 'b', 3);
    rescanHeld(state);
    expect([state.cursor, window.isFinished(state)]).toEqual([null, false]);
    window.countFinished(state, done('edit'), 4);
    rescanHeld(state);
    expect([isRescan(state), state.cursor]).toEqual([true, { part: 0, index: 0 }]);
    // Nothing was found, but rows may have become ready behind it: one more way shows that none has.
    window.takePage(state, pageOf({}), 5);
    rescanHeld(state);
    expect(isRescan(state)).toBe(true);
    window.takePage(state, pageOf({}), 6);
    rescanHeld(state);
    expect(window.isFinished(state)).toBe(true);
  });

  test('a rescan that is due waits for no row that nothing feeds, nor for rows that share a render', () => {
    const state = overfull();
    state.deferred = 1;
    takeFed(state, look([]), 200, 'b', 3);
    const next = { part: 1, index: 0 };
    window.takePage(state, pageOf({ entries: [pageEntry(1_900, 'lost', 1)], next }), 4);
    state.cursor = null;
    rescanHeld(state);
    expect(isRescan(state)).toBe(true);
    window.takePage(state, pageOf({}), 5);
    window.countFinished(state, done('lost'), 6);
    window.shareAfterAll(state);
    expect([state.isSharing, isRescan(state)]).toEqual([true, false]);
  });

  test('an order for one row begins nothing that it feeds; an order for the batch does', () => {
    const state = begun();
    freezeChains(state);
    window.countFinished(state, done('hero'), 2);
    expect(feedersLeft(state)).toEqual([]);
    window.supplyRows(state, { generation: 'g', rows: 4, retry: null });
    expect([state.chains, state.cursor]).toEqual([undefined, { part: 0, index: 0 }]);
  });
});
