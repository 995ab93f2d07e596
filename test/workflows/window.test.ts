import { describe, expect, it } from 'vitest';
import type { PageEntry, PageResult } from '../../src/contract/pages.js';
import * as window from '../../workflows/batch-state.js';
import { blockedOf, forgetBlocked, noteBlocked } from '../../workflows/open-row.js';
import { pageEntry } from './support/page-entry.js';

function page(entries: PageEntry[], rest: Partial<PageResult> = {}): PageResult {
  return {
    batch: 'b',
    part: 0,
    entries,
    next: null,
    finished: {},
    creditsNano: 0,
    creditsUnknown: 0,
    cap: 10,
    isShort: false,
    ...rest,
  };
}

function supplied(rows: number) {
  const state = window.newBatchState(0);
  window.supplyRows(state, { generation: 'g1', rows, retry: null });
  return state;
}

const entry = (index: number): PageEntry => pageEntry(index, `r${index}`, null);
const done = (id: string) => ({ id, status: 'done' as const, creditsNano: 5 });

describe('window', () => {
  it('counts every row once, however often it is reported (I6)', () => {
    const state = supplied(2);
    window.takePage(state, page([entry(0), entry(1)]), 0);
    expect(window.countFinished(state, done('r0'), 1)).toBe(true);
    expect(window.countFinished(state, done('r0'), 2)).toBe(false);
    window.countFinished(state, done('r1'), 3);
    expect(state.counts.done).toBe(2);
    expect(state.creditsNano).toBe(10);
    expect(window.isFinished(state)).toBe(true);
  });

  it('is written down once more when the record of a row that had ended is corrected (I6)', () => {
    const state = window.newBatchState(0);
    window.countFinished(state, done('r0'), 1);
    expect(state.corrected).toBeUndefined();
    window.countFinished(state, { ...done('r0'), was: { status: 'lost_paid', creditsNano: 5 } }, 2);
    expect(state.corrected).toBe(true);
  });

  it('keeps the number of open rows independent of the number of rows', () => {
    const state = supplied(1_000_000);
    let next = 0;
    for (let i = 0; i < 50; i += 1) {
      const room = window.roomForPage(state);
      if (room === 0) break;
      const entries = Array.from({ length: room }, (_, k) => entry(next + k));
      next += room;
      window.takePage(state, page(entries, { next: { part: 0, index: next } }), 0);
    }
    expect(state.open.length).toBeLessThanOrEqual(20);
    expect(window.roomForPage(state)).toBe(0);
  });

  it('gives the place of a row whose answer was lost to another until it is decided (I21)', () => {
    const state = supplied(1_000);
    const entries = Array.from({ length: 20 }, (_, index) => entry(index));
    window.takePage(state, page(entries, { next: { part: 0, index: 20 } }), 0);
    for (const { id } of entries) window.noteCase(state, id, true);
    expect(window.roomForPage(state)).toBe(state.window);
    for (const { id } of entries) window.noteCase(state, id, false);
    expect(window.roomForPage(state)).toBe(0);
  });

  it('stays bounded however many answers are lost', () => {
    const state = supplied(1_000_000);
    for (let next = 0; next < 2_000; ) {
      const room = window.roomForPage(state);
      if (room === 0) break;
      const entries = Array.from({ length: room }, (_, k) => entry(next + k));
      next += room;
      window.takePage(state, page(entries, { next: { part: 0, index: next } }), 0);
      for (const { id } of entries) window.noteCase(state, id, true);
    }
    expect(state.open.length).toBeLessThanOrEqual(100 + state.window);
  });

  it('joins the open rows of an earlier generation and counts them in the new one', () => {
    const state = supplied(1);
    window.takePage(state, page([entry(0)]), 0);
    window.supplyRows(state, { generation: 'g2', rows: 2, retry: null });
    const fresh = window.takePage(state, page([entry(0), entry(1)]), 0);
    expect(fresh.map((row) => row.row.id)).toEqual(['r1']);
    window.countFinished(state, done('r0'), 1);
    window.countFinished(state, done('r1'), 1);
    expect(state.counts.done).toBe(2);
  });

  it('counts a row once that ends between an order to run the same rows again and its page', () => {
    const state = supplied(2);
    window.takePage(state, page([entry(0), entry(1)]), 0);
    window.supplyRows(state, { generation: 'g1', rows: 2, retry: { beforeMs: 1, classes: [] } });
    window.leaveToPages(state);
    window.countFinished(state, done('r0'), 2);
    window.takePage(state, page([entry(1)], { finished: { done: 1 }, creditsNano: 5 }), 3);
    window.countFinished(state, done('r1'), 4);
    expect([state.counts.done, state.creditsNano]).toEqual([2, 10]);
    expect(window.isFinished(state)).toBe(true);
  });

  it('does not count a row of an older generation that the new one has not', () => {
    const state = supplied(1);
    window.takePage(state, page([entry(0)]), 0);
    window.supplyRows(state, { generation: 'g2', rows: 1, retry: null });
    window.takePage(state, page([entry(1)]), 0);
    window.countFinished(state, done('r0'), 1);
    window.countFinished(state, done('r1'), 1);
    expect(state.counts.done).toBe(1);
  });

  it('changes nothing when the same manifest is supplied again while it runs (F48)', () => {
    const state = supplied(3);
    window.takePage(state, page([entry(0)], { next: { part: 0, index: 1 } }), 0);
    window.supplyRows(state, { generation: 'g1', rows: 3, retry: null });
    expect(state.cursor).toEqual({ part: 0, index: 1 });
    expect(state.open).toHaveLength(1);
  });

  it('counts rows that were never opened as cancelled (I6, I19)', () => {
    const state = supplied(10);
    window.takePage(state, page([entry(0)], { next: { part: 0, index: 1 }, finished: { done: 2 } }), 0);
    state.cancelling = true;
    window.endRest(state);
    window.countFinished(state, done('r0'), 1);
    expect(state.counts).toMatchObject({ done: 3, cancelled: 7 });
    expect(window.isFinished(state)).toBe(true);
  });

  it('ends with the counts of its results, which know also what it never came to (I6)', () => {
    const state = supplied(10);
    window.takePage(state, page([entry(0)], { next: { part: 0, index: 1 } }), 0);
    const counts = { ...state.counts, done: 4, cancelled: 6 };
    const tally = { counts, open: 0, live: {}, creditsNano: 5, creditsUnknown: 1 };
    state.cancelling = true;
    window.endRest(state);
    window.takeTally(state, undefined);
    window.takeTally(state, { ...tally, open: 1 });
    expect(state.counts).toMatchObject({ done: 0, cancelled: 9 });
    window.takeTally(state, tally);
    expect(state).toMatchObject({ counts, creditsNano: 5, creditsUnknown: 1 });
  });

  it('opens nothing while it is paused', () => {
    const state = supplied(10);
    state.paused = true;
    expect(window.roomForPage(state)).toBe(0);
  });
});

describe('rows that share a render', () => {
  it('are gone through once all others have ended, and each is counted once (G2)', () => {
    const state = supplied(3);
    window.takePage(state, page([entry(0)], { deferred: 2 }), 0);
    window.shareAfterAll(state);
    expect(state.cursor).toBeNull();
    window.countFinished(state, done('r0'), 1);
    expect(window.isFinished(state)).toBe(false);
    window.shareAfterAll(state);
    expect([state.cursor, state.isSharing]).toEqual([{ part: 0, index: 0 }, true]);
    const shared: PageEntry = pageEntry(1, 'r1', null, { begins: 'share' });
    const [first] = window.takePage(state, page([shared, pageEntry(2, 'r2', null, { begins: 'share' })]), 2);
    expect(first?.isSharing).toBe(true);
    window.countFinished(state, { id: 'r1', status: 'done', creditsNano: 0 }, 3);
    window.countFinished(state, { id: 'r2', status: 'failed', creditsNano: 0 }, 4);
    expect(window.isFinished(state)).toBe(true);
    expect(state.counts).toMatchObject({ done: 2, failed: 1 });
  });

  it('end as cancelled with the rest of a cancelled batch (I6)', () => {
    const state = supplied(3);
    window.takePage(state, page([entry(0)], { deferred: 2 }), 0);
    state.cancelling = true;
    window.endRest(state);
    window.countFinished(state, done('r0'), 1);
    expect(window.isFinished(state)).toBe(true);
    expect(state.counts).toMatchObject({ done: 1, cancelled: 2 });
  });
});

describe('F45: what cannot be stored', () => {
  it('is known by its row until that ends, and nothing new is opened meanwhile', () => {
    const state = supplied(20);
    window.takePage(state, page([entry(0), entry(1)], { next: { part: 0, index: 2 } }), 0);
    noteBlocked(state, { id: 'r1', code: 'ENOSPC' });
    noteBlocked(state, { id: 'gone', code: 'EACCES' });
    expect(blockedOf(state)).toEqual({ id: 'r1', code: 'ENOSPC', count: 1 });
    state.outputsPaused = true;
    expect(window.roomForPage(state)).toBe(0);
    window.countFinished(state, done('r1'), 1);
    expect(blockedOf(state)).toBeNull();
    noteBlocked(state, { id: null, code: 'EROFS' });
    expect(blockedOf(state)).toEqual({ id: null, code: 'EROFS', count: 1 });
    forgetBlocked(state);
    expect(blockedOf(state)).toBeNull();
  });
});
