import { describe, expect, it } from 'vitest';
import type { RowRef } from '../../src/contract/workflows.js';
import * as window from '../../workflows/batch-state.js';
import { noteCancelled } from '../../workflows/batch-state.js';
import { roomNano } from '../../workflows/budget.js';
import { reopenRow, takeReopened } from '../../workflows/open-row.js';
import * as permits from '../../workflows/permits.js';
import { openPermits } from './support/open-permits.js';

const row: RowRef = { batch: 'b', generation: 'g1', part: 0, index: 0, id: 'r0', kind: 'svc/image' };

function ended() {
  const state = window.newBatchState(0);
  window.supplyRows(state, { generation: 'g1', rows: 2, retry: null });
  state.cursor = null;
  state.counts = { ...state.counts, done: 1, review: 1 };
  state.creditsNano = 7;
  state.creditsUnknown = 1;
  return state;
}

describe('a row that goes on after it had ended', () => {
  it('is taken out of the counts and counted once at its new end (I6)', () => {
    const state = ended();
    expect(
      reopenRow(state, row, { was: { status: 'review', creditsNano: null }, begins: 'case', attempts: 1 }, 1),
    ).toMatchObject({
      row,
    });
    expect(window.isFinished(state)).toBe(false);
    expect(state).toMatchObject({ counts: { done: 1, review: 0 }, creditsUnknown: 0 });
    expect(
      reopenRow(state, row, { was: { status: 'review', creditsNano: null }, begins: 'case', attempts: 1 }, 1),
    ).toBeUndefined();
    window.countFinished(state, { id: 'r0', status: 'done', creditsNano: 5 }, 2);
    expect(state).toMatchObject({ counts: { done: 2, review: 0 }, creditsNano: 12, creditsUnknown: 0 });
    expect(window.isFinished(state)).toBe(true);
  });

  it('of an earlier manifest is carried on without being counted', () => {
    const state = ended();
    reopenRow(
      state,
      { ...row, generation: 'g0' },
      { was: { status: 'review', creditsNano: null }, begins: 'case', attempts: 1 },
      1,
    );
    window.countFinished(state, { id: 'r0', status: 'done', creditsNano: 5 }, 2);
    expect(state).toMatchObject({ counts: { done: 1, review: 1 }, creditsNano: 7, creditsUnknown: 1 });
  });

  it('3-R2: is paid again only within the budget', () => {
    const bounded = (maxCreditsNano: number) => {
      const state = ended();
      state.limits.maxCreditsNano = maxCreditsNano;
      state.spentNano = 10;
      return {
        state,
        reopen: (upToNano?: number) => reopenRow(state, row, { begins: 'submit', attempts: 1, upToNano }, 1),
      };
    };
    const tight = bounded(14);
    expect([tight.reopen(5), tight.reopen()]).toEqual(['over budget', 'over budget']);
    expect(tight.state).toMatchObject({ open: [], counts: { review: 1 } });
    expect(bounded(15).reopen(5)).toMatchObject({ upToNano: 5 });
  });

  it('I20: reserves and counts what its late answer costs, where it had ended without that attempt', () => {
    const late = (was: { status: 'failed' | 'lost_paid' | 'review'; creditsNano: number | null }, attempts: number) => {
      const state = ended();
      state.limits.maxCreditsNano = 100;
      state.spentNano = 10;
      reopenRow(state, row, { was, begins: 'poll', attempts, upToNano: 5 }, 1);
      const openNano = roomNano(state);
      window.countFinished(state, { id: 'r0', status: 'done', creditsNano: 5 }, 2);
      return [openNano, roomNano(state)];
    };
    expect(late({ status: 'failed', creditsNano: 0 }, 1)).toEqual([85, 85]);
    // What another attempt cost is in the sum already.
    expect(late({ status: 'lost_paid', creditsNano: 5 }, 1)).toEqual([85, 90]);
    // Of one attempt whose cost was not known, the most of it has been counted; of several, perhaps not this one's.
    expect(late({ status: 'review', creditsNano: null }, 1)).toEqual([90, 90]);
    expect(late({ status: 'review', creditsNano: null }, 2)).toEqual([85, 85]);
  });

  it('reserves nothing where no price came with it, as an earlier build recorded it', () => {
    const state = ended();
    state.limits.maxCreditsNano = 100;
    state.spentNano = 10;
    reopenRow(state, row, { was: { status: 'failed', creditsNano: 0 }, begins: 'poll', attempts: 1 }, 1);
    expect(roomNano(state)).toBe(90);
  });

  it('6-O10: that a cancel ended late is opened again by the retry that came since, and counted once', () => {
    const state = window.newBatchState(0);
    const supply = { generation: 'g1', rows: 3, retry: null };
    window.supplyRows(state, supply);
    for (const [index, id] of ['r0', 'r1', 'r2'].entries()) {
      reopenRow(state, { ...row, index, id }, { begins: 'submit', attempts: 0 }, 1);
    }
    state.cancelling = true;
    noteCancelled(state);
    window.supplyRows(state, { ...supply, retry: { beforeMs: 5, classes: [] } });
    for (const open of state.open) open.countedIn = 'g1';
    state.cursor = null;
    window.countFinished(state, { id: 'r0', status: 'cancelled', creditsNano: 0 }, 6);
    window.countFinished(state, { id: 'r1', status: 'done', creditsNano: 5 }, 6);
    window.countFinished(state, { id: 'r2', status: 'failed', creditsNano: 0 }, 6);
    expect(takeReopened(state).map(({ id }) => id)).toEqual(['r0']);
    const was = { status: 'cancelled', creditsNano: 0 } as const;
    expect(reopenRow(state, row, { was, begins: 'submit', attempts: 0 }, 7)).not.toHaveProperty('wasCancelled');
    window.countFinished(state, { id: 'r0', status: 'done', creditsNano: 5 }, 8);
    expect(state.counts).toMatchObject({ done: 2, failed: 1, cancelled: 0 });
    expect(window.isFinished(state)).toBe(true);
  });

  it('keeps a batch open until it was looked at', () => {
    const state = ended();
    state.reopened = [row];
    expect(window.isFinished(state)).toBe(false);
    expect(takeReopened(state)).toEqual([row]);
    expect(window.isFinished(state)).toBe(true);
  });
});

describe('I4: a row that is paid again while its first job may still run', () => {
  const job = { batch: 'b', id: 'r0' };

  it('waits for a slot of its own beside the one that is held', () => {
    const state = openPermits(1, 0);
    permits.acquire(state, { job, kind: 'svc/image', holds: false }, 0);
    const [first] = permits.grantNext(state, 0);
    permits.release(state, { grant: first?.grant ?? 0, notBeforeMs: 500 }, 10);
    expect(permits.acquire(state, { job, kind: 'svc/image', holds: false }, 20)).toBeUndefined();
    expect(permits.grantNext(state, 20)).toEqual([]);
    permits.releaseDue(state, 500);
    const [second] = permits.grantNext(state, 500);
    expect(second?.grant).toBeGreaterThan(first?.grant ?? 0);
    // A repeated question is told the new grant.
    expect(permits.acquire(state, { job, kind: 'svc/image', holds: false }, 510)?.grant).toBe(second?.grant);
  });

  it('is recovered with both of its slots after a wiped server', () => {
    const state = openPermits(0, 0);
    permits.recover(state, { job, kind: 'svc/image', sinceMs: 0, n: 1, releaseAtMs: 500 });
    permits.recover(state, { job, kind: 'svc/image', sinceMs: 9, n: 2 });
    permits.recover(state, { job, kind: 'svc/image', sinceMs: 9, n: 2 });
    expect(state.holders).toHaveLength(2);
  });
});
