import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PageEntry } from '../../src/contract/pages.js';
import * as window from '../../workflows/batch-state.js';
import * as budget from '../../workflows/budget.js';
import { pageEntry } from './support/page-entry.js';

function limited(limits: { maxCreditsNano?: number; maxFailures?: { rows: number } | { percent: number } }, rows = 20) {
  const state = window.newBatchState(0);
  const given = { maxCreditsNano: null, maxFailures: null, ...limits };
  window.supplyRows(state, { generation: 'g', rows, retry: null, limits: given });
  if (limits.maxCreditsNano !== undefined) state.spentNano = 0;
  return state;
}

type State = ReturnType<typeof limited>;

function open(state: State, entries: PageEntry[]) {
  const page = { batch: 'b', part: 0, entries, next: { part: 0, index: 99 }, finished: {} };
  window.takePage(state, { ...page, creditsNano: 0, creditsUnknown: 0, cap: 10, isShort: false }, 0);
}

const end = (state: State, id: string, status: 'done' | 'failed' | 'not_started', creditsNano: number | null) =>
  window.countFinished(state, { id, status, creditsNano }, 1);

describe('the budget of a batch (I20)', () => {
  it('reserves the most that a row can cost and settles to what it did cost', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', 40), pageEntry(1, 'b', 50)]);
    expect(budget.roomNano(state)).toBe(10);
    end(state, 'a', 'done', 15);
    expect(budget.roomNano(state)).toBe(35);
    end(state, 'b', 'done', null);
    expect(budget.roomNano(state)).toBe(35);
  });

  it('never lets spent and reserved exceed the limit, in whatever order rows end', () => {
    const row = fc.record({ upTo: fc.integer({ min: 0, max: 60 }), part: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.array(row, { maxLength: 40 }),
        fc.infiniteStream(fc.nat()),
        (limit, rows, picks) => {
          const state = limited({ maxCreditsNano: limit }, rows.length);
          const running: { id: string; costs: number }[] = [];
          let spent = 0;
          for (const [index, { upTo, part }] of rows.entries()) {
            const pick = picks.next().value ?? 0;
            const ended = pick % 3 === 0 ? running.splice(pick % Math.max(1, running.length), 1)[0] : undefined;
            if (ended) {
              end(state, ended.id, 'done', ended.costs);
              spent += ended.costs;
            }
            if (upTo > (budget.roomNano(state) ?? 0)) continue;
            open(state, [pageEntry(index, `r${index}`, upTo)]);
            running.push({ id: `r${index}`, costs: Math.floor(upTo * part) });
            const reserved = state.open.reduce((sum, one) => sum + (one.upToNano ?? 0), 0);
            expect(spent + reserved).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  it('leaves no room while an unknown price is open, or before it is known what was spent', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', null)]);
    expect(budget.roomNano(state)).toBe(0);
    state.spentNano = null;
    expect(budget.mustReadSpent(state)).toBe(true);
    expect(budget.roomNano(state)).toBe(0);
    expect(budget.roomNano(limited({}))).toBeNull();
  });

  it('adds what ends while the spent credits are read, whether the read saw it or not', () => {
    const state = limited({});
    open(state, [pageEntry(0, 'a', 5), pageEntry(1, 'b', 7), pageEntry(2, 'c', null), pageEntry(3, 'd', 40)]);
    window.supplyRows(state, {
      generation: 'g',
      rows: 20,
      retry: null,
      limits: { maxCreditsNano: 100, maxFailures: null },
    });
    end(state, 'a', 'done', 5);
    budget.beginReadSpent(state);
    end(state, 'b', 'done', null);
    budget.takeSpent(state, { endedNano: 5, openNano: 0, unbounded: 0 });
    expect(state.spentNano).toBe(12);
    expect(budget.mustReadSpent(state)).toBe(false);
    end(state, 'd', 'done', 30);
    expect(state.spentNano).toBe(42);
    // Nobody knew its price before, and nobody does now.
    end(state, 'c', 'done', null);
    expect(budget.roomNano(state)).toBe(0);
  });

  it('leaves no room where the cost of an attempt has no bound', () => {
    const state = limited({});
    budget.takeLimits(state, { maxCreditsNano: 100, maxFailures: null });
    budget.beginReadSpent(state);
    budget.takeSpent(state, { endedNano: 5, openNano: 0, unbounded: 1 });
    expect(budget.roomNano(state)).toBe(0);
  });

  it('counts what a row cost more than it was counted with', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', 40)]);
    end(state, 'a', 'done', 15);
    const revise = (was: number | null, creditsNano: number | null) =>
      window.countFinished(
        state,
        { id: 'a', status: 'done', creditsNano, was: { status: 'done', creditsNano: was } },
        2,
      );
    revise(15, 20);
    revise(20, 18);
    revise(18, null);
    expect(state.spentNano).toBe(20);
  });

  it('counts what was at the service before once', () => {
    const state = limited({ maxCreditsNano: 100 });
    state.spentNano = 30;
    open(state, [pageEntry(0, 'a', 0, { begins: 'poll', attempts: 1 })]);
    end(state, 'a', 'done', 30);
    expect(budget.roomNano(state)).toBe(70);
  });

  it('keeps a limit when a later order gives none, and takes a new one', () => {
    const state = limited({ maxCreditsNano: 100 });
    budget.takeLimits(state, { maxCreditsNano: null, maxFailures: { rows: 1 } });
    expect(state.limits).toEqual({ maxCreditsNano: 100, maxFailures: { rows: 1 } });
    budget.takeLimits(state, { maxCreditsNano: 200, maxFailures: null });
    expect(state.limits).toEqual({ maxCreditsNano: 200, maxFailures: { rows: 1 } });
  });

  it('3-R2: a payment again is reserved once before it is granted, and settles with the row', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', 40), pageEntry(1, 'b', 0, { begins: 'poll', attempts: 1 })]);
    const asked = { id: 'a', n: 1, nano: 40 };
    expect([budget.reservePayment(state, asked), budget.reservePayment(state, asked)]).toEqual([true, true]);
    expect(budget.roomNano(state)).toBe(20);
    expect(budget.reservePayment(state, { id: 'b', n: 1, nano: 21 })).toBe(false);
    expect(budget.reservePayment(state, { id: 'b', n: 1, nano: null })).toBe(false);
    expect(budget.reservePayment(state, { id: 'nobody', n: 1, nano: 1 })).toBe(false);
    expect(budget.reservePayment(state, { id: 'b', n: 1, nano: 20 })).toBe(true);
    // What both attempts of the first cost is not known; the second one's first attempt had been counted before.
    end(state, 'a', 'done', null);
    end(state, 'b', 'done', null);
    expect(state.spentNano).toBe(100);
    expect(budget.reservePayment(limited({}), asked)).toBe(false);
  });

  it('stops when a price rose above its reservation', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', 40)]);
    end(state, 'a', 'not_started', 0);
    expect(state.stopped).toBe('budget_reached');
  });

  it('B48: does not stop for a row that was replaced, and opens the new one where its page has come by', () => {
    const state = limited({ maxCreditsNano: 100 });
    open(state, [pageEntry(0, 'a', 40), pageEntry(1, 'b', 40)]);
    window.supplyRows(state, { generation: 'g2', rows: 20, retry: null });
    open(state, [pageEntry(7, 'a', 40, { kind: 'svc/animation' })]);
    const replaced = { status: 'not_started', reason: 'row_replaced', creditsNano: 0 } as const;
    window.countFinished(state, { ...replaced, id: 'a' }, 1);
    window.countFinished(state, { ...replaced, id: 'b' }, 1);
    expect(state).toMatchObject({ stopped: null, open: [] });
    expect(state.reopened).toEqual([
      { batch: 'b', generation: 'g2', part: 0, index: 7, id: 'a', kind: 'svc/animation' },
    ]);
  });
});

describe('the failures that a batch allows', () => {
  const opened = (limit: { rows: number } | { percent: number }) => {
    const state = limited({ maxFailures: limit });
    open(
      state,
      Array.from({ length: 5 }, (_, i): PageEntry => pageEntry(i, `r${i}`, 1)),
    );
    return state;
  };

  it.each([{ rows: 1 }, { percent: 5 }])('stops at one more than %o', (limit) => {
    const state = opened(limit);
    end(state, 'r0', 'failed', 0);
    expect(state.stopped).toBeNull();
    end(state, 'r1', 'failed', 0);
    expect(state.stopped).toBe('too_many_failures');
    expect(window.roomForPage(state)).toBe(0);
    window.endRest(state);
    expect(state.counts).toMatchObject({ failed: 2, not_started: 15, cancelled: 0 });
  });

  it('forgets earlier failures when the batch goes on', () => {
    const state = opened({ rows: 0 });
    end(state, 'r0', 'failed', 0);
    expect(state.stopped).toBe('too_many_failures');
    window.supplyRows(state, { generation: 'g', rows: 20, retry: null });
    expect(state).toMatchObject({ stopped: null, failures: 0, cursor: { part: 0, index: 0 } });
  });
});
