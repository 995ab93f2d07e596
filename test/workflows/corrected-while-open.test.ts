// A record that is corrected tells of how a row had ended: its row may have been ordered again since, and run.

import { expect, it } from 'vitest';
import type { RowRef } from '../../src/contract/workflows.js';
import * as window from '../../workflows/batch-state.js';
import { roomNano } from '../../workflows/budget.js';
import { reopenRow } from '../../workflows/open-row.js';
import { pageEntry } from './support/page-entry.js';

const row: RowRef = { batch: 'b', generation: 'g1', part: 0, index: 0, id: 'r0', kind: 'svc/image' };

function ended(counts: Partial<Record<'done' | 'failed', number>>) {
  const state = window.newBatchState(0);
  window.supplyRows(state, { generation: 'g1', rows: 1, retry: null });
  state.cursor = null;
  state.counts = { ...state.counts, ...counts };
  return state;
}

it('I6: a row that is rendered again is not ended by what its first render was measured to cost', () => {
  const state = ended({ done: 1 });
  state.creditsNano = 5;
  reopenRow(state, row, { was: { status: 'done', creditsNano: 5 }, begins: 'submit', attempts: 1, upToNano: 5 }, 1);
  window.countFinished(state, { id: 'r0', status: 'done', creditsNano: 6, was: { status: 'done', creditsNano: 5 } }, 2);
  expect(state.open.map((open) => open.row.id)).toEqual(['r0']);
  expect(window.isFinished(state)).toBe(false);
});

it('I6: a row that is retried is not ended by a verdict on its first attempt that is contradicted', () => {
  const state = ended({ failed: 1 });
  reopenRow(state, row, { was: { status: 'failed', creditsNano: 0 }, begins: 'submit', attempts: 1, upToNano: 5 }, 1);
  window.countFinished(
    state,
    { id: 'r0', status: 'review', creditsNano: null, was: { status: 'failed', creditsNano: 0 } },
    2,
  );
  expect(window.isFinished(state)).toBe(false);
  window.countFinished(state, { id: 'r0', status: 'review', creditsNano: null }, 3);
  expect(state.counts).toMatchObject({ failed: 0, review: 1 });
});

it.each([
  ['ended', 40, 60],
  ['is open again', 40, 20],
  ['ended, at a price that nobody knows', null, 0],
])('I20: an attempt that was counted unbilled and was billed leaves less room (its row %s)', (what, moreNano, room) => {
  const state = window.newBatchState(0);
  const limits = { maxCreditsNano: 100, maxFailures: null };
  window.supplyRows(state, { generation: 'g', rows: 9, retry: null, limits });
  state.spentNano = 0;
  const page = { batch: 'b', part: 0, entries: [pageEntry(0, 'a', 40)], next: { part: 0, index: 9 }, finished: {} };
  window.takePage(state, { ...page, creditsNano: 0, creditsUnknown: 0, cap: 10, isShort: false }, 0);
  window.countFinished(state, { id: 'a', status: 'failed', creditsNano: 0, reason: 'answer_lost_unbilled' }, 1);
  expect(roomNano(state)).toBe(100);
  const was = { status: 'failed', creditsNano: 0 } as const;
  const again = { ...row, id: 'a', generation: 'g' };
  if (what === 'is open again') reopenRow(state, again, { was, begins: 'submit', attempts: 1, upToNano: 40 }, 2);
  window.countFinished(state, { id: 'a', status: 'review', creditsNano: null, was, moreNano }, 3);
  expect(roomNano(state)).toBe(room);
});
