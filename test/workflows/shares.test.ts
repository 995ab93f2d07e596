// How batches share the slots: weights in slot time, priorities but for a tenth, a batch's own limit (design: several batches).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SemaphoreState } from '../../src/contract/semaphore.js';
import { DEFAULT_SLOT_TERMS, type SlotTerms } from '../../src/domain/batch.js';
import * as permits from '../../workflows/permits.js';
import { takeTerms, unknownBatches } from '../../workflows/shares.js';

interface Load extends Partial<SlotTerms> {
  /** How long each of its jobs holds a slot, ms. */
  jobMs: number;
  fromMs?: number;
}

/** Slot time that each batch had, all of them with work without end. */
function shareOut(cap: number, untilMs: number, loads: Record<string, Load>): Record<string, number> {
  const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: cap, countsHeld: true as const };
  const had = Object.fromEntries(Object.keys(loads).map((batch) => [batch, 0]));
  let next = 0;
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1_000) {
    for (const [batch, { jobMs, fromMs = 0, ...terms }] of Object.entries(loads)) {
      if (nowMs === fromMs) takeTerms(state, [{ batch, ...DEFAULT_SLOT_TERMS, ...terms }], nowMs);
      const mine = state.holders.filter(({ job }) => job.batch === batch);
      for (const { grant, sinceMs } of mine)
        if (nowMs - sinceMs >= jobMs) permits.release(state, { grant, done: true }, nowMs);
      while (nowMs >= fromMs && state.waiting.filter(({ job }) => job.batch === batch).length < cap) {
        next += 1;
        permits.acquire(state, { job: { batch, id: `r${next}` }, kind: 'svc/image', holds: false }, nowMs);
      }
    }
    permits.grantNext(state, nowMs);
    expect(state.holders.length).toBeLessThanOrEqual(cap);
    for (const { job } of state.holders) had[job.batch] = (had[job.batch] ?? 0) + 1_000;
  }
  return had;
}

const usedMs = ({ shares }: SemaphoreState, batch: string) => shares[batch]?.usedMs;

const ratio = (had: Record<string, number>) => (had.a ?? 0) / (had.b ?? 1);

describe('slots between batches', () => {
  it('are shared by slot time, not by jobs', () => {
    expect(ratio(shareOut(10, 3_000_000, { a: { jobMs: 60_000 }, b: { jobMs: 5_000 } }))).toBeCloseTo(1, 1);
  });

  it('are shared by weight', () => {
    const had = shareOut(10, 3_000_000, { a: { jobMs: 30_000, weight: 4 }, b: { jobMs: 30_000 } });
    expect(ratio(had)).toBeCloseTo(4, 0);
  });

  it('a batch that comes later has no claim to the time before', () => {
    const had = shareOut(10, 2_000_000, { a: { jobMs: 20_000 }, b: { jobMs: 20_000, fromMs: 1_000_000 } });
    expect(ratio(had)).toBeCloseTo(3, 0);
  });

  it.each([3_000, 60_000, 200_000])(
    'ten that come beside a large one have as much as it from then on: jobs of %i ms',
    (jobMs) => {
      const fromMs = 20 * jobMs;
      const small = Array.from({ length: 10 }, (_, i) => [`s${i}`, { jobMs, fromMs: fromMs + i * 1_000 }] as const);
      const loads = { a: { jobMs }, ...Object.fromEntries(small) };
      const untilMs = fromMs + 60 * jobMs;
      const before = shareOut(20, fromMs, { a: { jobMs } }).a ?? 0;
      const had = shareOut(20, untilMs, loads);
      const equal = (20 * (untilMs - fromMs)) / 11;
      for (const [name, ms] of Object.entries(had)) {
        const sinceThen = ms - (name === 'a' ? before : 0);
        expect(sinceThen / equal, name).toBeGreaterThan(0.85);
        expect(sinceThen / equal, name).toBeLessThan(1.25);
      }
    },
  );

  it('a batch whose jobs are refused at once is not taken for one of short jobs', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 2, countsHeld: true as const };
    takeTerms(state, [{ batch: 'a', ...DEFAULT_SLOT_TERMS }], 0);
    for (const id of ['r1', 'r2']) {
      permits.acquire(state, { job: { batch: 'a', id }, kind: 'svc/image', holds: false }, 0);
      const [{ grant } = { grant: 0 }] = permits.grantNext(state, 0);
      expect(state.holders[0]?.chargedMs).toBe(60_000);
      permits.release(state, { grant, answered: true }, 0);
    }
  });

  it.each([{ concurrency: 1 }, { priority: -1 }])(
    'one that comes has no claim to what another (%o) could not have',
    (terms) => {
      const loads = { a: { jobMs: 20_000 }, c: { jobMs: 20_000, ...terms } };
      const before = shareOut(10, 1_000_000, loads).a ?? 0;
      const had = shareOut(10, 1_400_000, { ...loads, b: { jobMs: 20_000, fromMs: 1_000_000 } });
      expect(((had.a ?? 0) - before) / (had.b ?? 1)).toBeCloseTo(1, 0);
    },
  );

  it('a batch that was paused is owed nothing of what the others had meanwhile', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 4, countsHeld: true as const };
    const ask = (batch: string, id: string, nowMs: number) =>
      permits.acquire(state, { job: { batch, id }, kind: 'svc/image', holds: false }, nowMs);
    takeTerms(
      state,
      [
        { batch: 'a', ...DEFAULT_SLOT_TERMS },
        { batch: 'b', ...DEFAULT_SLOT_TERMS },
      ],
      0,
    );
    ask('a', 'r', 0);
    permits.pause(state, { reason: 'user', batch: 'a' }, 0);
    for (let nowMs = 0; nowMs < 100_000; nowMs += 10_000) {
      ask('b', `r${nowMs}`, nowMs);
      for (const { grant } of permits.grantNext(state, nowMs))
        permits.release(state, { grant, done: true }, nowMs + 10_000);
    }
    ask('b', 'last', 100_000);
    ask('a', 'r', 100_000);
    expect(usedMs(state, 'a')).toBe(usedMs(state, 'b'));
  });

  it('nobody begins behind where the turn of the others stands, however long a slot of theirs is kept', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 2, countsHeld: true as const };
    takeTerms(state, [{ batch: 'a', ...DEFAULT_SLOT_TERMS }], 0);
    permits.acquire(state, { job: { batch: 'a', id: 'r' }, kind: 'svc/image', holds: false }, 0);
    permits.grantNext(state, 0);
    takeTerms(state, [{ batch: 'b', ...DEFAULT_SLOT_TERMS }], 3_000_000);
    expect(usedMs(state, 'b')).toBe(usedMs(state, 'a'));
  });

  it('a run that an earlier build began goes on as that build shared: its history is played again', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 2 };
    takeTerms(state, [{ batch: 'a', ...DEFAULT_SLOT_TERMS }], 0);
    for (const id of ['r1', 'r2', 'r3']) {
      permits.acquire(state, { job: { batch: 'a', id }, kind: 'svc/image', holds: false }, 0);
      const [first] = permits.grantNext(state, 0);
      if (id === 'r1' && first) permits.release(state, { grant: first.grant, done: true }, 3_000);
    }
    expect(state.holders.map(({ chargedMs }) => chargedMs)).toEqual([60_000, 60_000]);
    takeTerms(state, [{ batch: 'b', ...DEFAULT_SLOT_TERMS }], 3_000);
    expect(usedMs(state, 'b')).toBe(123_000);
  });

  it('go to the batch of higher priority, but for a tenth, one at least', () => {
    const tenth = shareOut(20, 1_000_000, { a: { jobMs: 10_000, priority: 1 }, b: { jobMs: 10_000 } });
    expect(ratio(tenth)).toBeCloseTo(9, 0);
    const one = shareOut(5, 1_000_000, { a: { jobMs: 10_000, priority: 1 }, b: { jobMs: 10_000 } });
    expect(ratio(one)).toBeCloseTo(4, 0);
    const only = shareOut(1, 1_000_000, { a: { jobMs: 10_000, priority: 1 }, b: { jobMs: 10_000 } });
    expect(only.b).toBe(0);
  });

  it('three priorities: none is starved', () => {
    const had = shareOut(10, 1_000_000, {
      ...{ a: { jobMs: 10_000, priority: 2 }, b: { jobMs: 10_000, priority: 1 }, c: { jobMs: 10_000 } },
    });
    expect(Object.values(had).map((ms) => Math.round(ms / 1_000_000))).toEqual([8, 1, 1]);
  });

  it('a batch never has more than its own limit, whatever is free', () => {
    const had = shareOut(10, 1_000_000, { a: { jobMs: 10_000, concurrency: 2 } });
    expect(Math.round((had.a ?? 0) / 1_000_000)).toBe(2);
  });

  it.each(['a', 'constructor', 'toString', '__proto__'])(
    'nothing is granted to a batch before its terms are known, and they hold by whatever name: %s',
    (batch) => {
      const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 3 };
      const ask = (id: string) => permits.acquire(state, { job: { batch, id }, kind: 'svc/image', holds: false }, 0);
      ask('r1');
      ask('r2');
      expect([unknownBatches(state), permits.grantNext(state, 0)]).toEqual([[batch], []]);
      takeTerms(state, [{ ...DEFAULT_SLOT_TERMS, batch, concurrency: 1 }], 0);
      expect([unknownBatches(state), permits.grantNext(state, 0)]).toMatchObject([[], [{ job: { id: 'r1' } }]]);
      const kept = { ...state, ...JSON.parse(JSON.stringify(state)) };
      expect(kept).toEqual(state);
      expect(unknownBatches(kept)).toEqual([]);
    },
  );

  it('no slot stays free while a batch waits that may have it, whatever the terms', () => {
    const terms = fc.record({
      jobMs: fc.integer({ min: 1_000, max: 90_000 }),
      weight: fc.integer({ min: 1, max: 100 }),
      priority: fc.integer({ min: -2, max: 2 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), terms, terms, terms, (cap, a, b, c) => {
        const had = shareOut(cap, 100_000, { a, b, c });
        expect(Object.values(had).reduce((sum, ms) => sum + ms, 0)).toBe(cap * 100_000);
      }),
      { numRuns: 60 },
    );
  });
});
