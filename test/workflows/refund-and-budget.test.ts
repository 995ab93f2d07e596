// A bill that came back is spent no more: its row goes on within the budget that was made for it.
import { expect, it } from 'vitest';
import { countFinished, newBatchState, supplyRows, takePage } from '../../workflows/batch-state.js';
import { beginReadSpent, roomNano, takeSpent } from '../../workflows/budget.js';
import { reopenRow } from '../../workflows/open-row.js';
import { pageEntry } from './support/page-entry.js';

it('with a budget of just what the plan costs, a row whose bill came back is sent again', () => {
  const state = newBatchState(0);
  supplyRows(state, { generation: 'g', rows: 2, retry: null, limits: { maxCreditsNano: 10, maxFailures: null } });
  beginReadSpent(state);
  takeSpent(state, { endedNano: 0, openNano: 0, unbounded: 0 });
  const entries = [pageEntry(0, 'r0', 5), pageEntry(1, 'r1', 5)];
  takePage(
    state,
    {
      batch: 'b',
      part: 0,
      entries,
      next: null,
      isShort: false,
      finished: {},
      creditsNano: 0,
      creditsUnknown: 0,
      cap: 5,
    },
    0,
  );
  // Its answer was lost and its bill was found; r1 still renders.
  countFinished(state, { id: 'r0', status: 'lost_paid', creditsNano: 5 }, 1);
  expect(roomNano(state)).toBe(0);
  // The job had failed: the bill comes back, and the row is unpaid again (`goOnUnpaid`).
  countFinished(state, { id: 'r0', status: 'failed', creditsNano: 0, was: { status: 'lost_paid', creditsNano: 5 } }, 2);
  expect(roomNano(state)).toBe(5);
  const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r0', kind: 'svc/image' as const };
  const found = {
    was: { status: 'failed' as const, creditsNano: 0 },
    begins: 'submit' as const,
    attempts: 1,
    upToNano: 5,
  };
  expect(reopenRow(state, row, found, 3)).toMatchObject({ row: { id: 'r0' } });
});

it('what a row has cost counts once, however often it is carried out', () => {
  const state = newBatchState(0);
  supplyRows(state, { generation: 'g', rows: 2, retry: null, limits: { maxCreditsNano: 20, maxFailures: null } });
  beginReadSpent(state);
  // Both rows were rendered before, for 4 each.
  takeSpent(state, { endedNano: 8, openNano: 0, unbounded: 0 });
  const again = pageEntry(0, 'r0', 5, { attempts: 1, earlierNano: 4 });
  const page = {
    batch: 'b',
    part: 0,
    next: null,
    isShort: false,
    finished: {},
    creditsNano: 0,
    creditsUnknown: 0,
    cap: 5,
  };
  takePage(state, { ...page, entries: [again] }, 0);
  expect(roomNano(state)).toBe(7);
  countFinished(state, { id: 'r0', status: 'done', creditsNano: 8 }, 1);
  expect(roomNano(state)).toBe(8);
  const row = { batch: 'b', generation: 'g', part: 0, index: 1, id: 'r1', kind: 'svc/image' as const };
  const was = { status: 'done' as const, creditsNano: 4 };
  reopenRow(state, row, { was, begins: 'submit', attempts: 1, upToNano: 5 }, 2);
  expect(roomNano(state)).toBe(3);
  countFinished(state, { id: 'r1', status: 'done', creditsNano: 8 }, 3);
  expect(roomNano(state)).toBe(4);
});
