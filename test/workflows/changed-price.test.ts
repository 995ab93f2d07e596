// A row that was changed while it waited for a slot is opened anew by its new price: a batch stops where its budget is reached, and only there (I20, G2).

import { expect, it } from 'vitest';
import type { PageEntry } from '../../src/contract/pages.js';
import * as window from '../../workflows/batch-state.js';
import { boundOf, roomNano } from '../../workflows/budget.js';
import { reopenRow, takeReopened } from '../../workflows/open-row.js';
import { pageEntry } from './support/page-entry.js';

const row = { batch: 'b', generation: 'g2', part: 0, index: 0, id: 'a', kind: 'svc/image' } as const;
const overOld = { id: 'a', status: 'not_started', creditsNano: 0, reason: 'budget_reached' } as const;
const was = { status: 'not_started', creditsNano: 0 } as const;

function limited() {
  const state = window.newBatchState(0);
  const limits = { maxCreditsNano: 100, maxFailures: null };
  const supply = (generation: string) => window.supplyRows(state, { generation, rows: 9, retry: null, limits });
  const page = { batch: 'b', part: 0, next: { part: 0, index: 9 }, finished: {} };
  const rest = { creditsNano: 0, creditsUnknown: 0, cap: 10, isShort: false };
  const open = (entry: PageEntry) => window.takePage(state, { ...page, ...rest, entries: [entry] }, 0);
  state.spentNano = 0;
  supply('g1');
  return { state, supply, open };
}

it.each([
  [2, 'opened'],
  [101, 'over budget'],
])('a changed row that costs %d by its new values, with room for 100, is %s', (upToNano, outcome) => {
  const { state, supply, open } = limited();
  open(pageEntry(0, 'a', 1));
  // The manifest is changed while the row waits for its slot.
  supply('g2');
  open(pageEntry(0, 'a', upToNano));
  // Its job is bounded by what the old values had reserved (activities/submit.ts), and sends nothing.
  window.countFinished(state, overOld, 2);
  expect(roomNano(state)).toBe(100);
  expect(state.stopped).toBeNull();
  expect(takeReopened(state)).toEqual([row]);
  const opened = reopenRow(state, row, { was, begins: 'submit', attempts: 0, upToNano }, 3);
  expect(typeof opened === 'object' ? 'opened' : opened).toBe(outcome);
  expect(state.counts.not_started).toBe(outcome === 'opened' ? 0 : 1);
  // The price rose once more: nothing is tried a third time.
  if (outcome === 'opened') window.countFinished(state, overOld, 4);
  expect(state.stopped).toBe(outcome === 'opened' ? 'budget_reached' : null);
});

it('so is one that was at the service when its batch took it over, and is not bounded by its old price for good', () => {
  const { state, open } = limited();
  state.spentNano = 1;
  const [opened] = open(pageEntry(0, 'a', 0, { begins: 'poll', attempts: 1, atServiceNano: 1 }));
  expect(opened && boundOf(state, opened)).toEqual({ upToNano: 1 });
  window.countFinished(state, overOld, 2);
  const [again] = takeReopened(state);
  expect(again).toEqual({ ...row, generation: 'g1' });
  const anew = again && reopenRow(state, again, { was, begins: 'submit', attempts: 1, upToNano: 2 }, 3);
  expect(typeof anew === 'object' && boundOf(state, anew)).toEqual({ upToNano: 2 });
  expect(roomNano(state)).toBe(97);
});
