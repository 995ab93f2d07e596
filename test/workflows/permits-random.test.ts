import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, takesSlot } from '../../src/kinds/facts.js';
import { effectiveCap, slotsInUse } from '../../workflows/cap.js';
import * as permits from '../../workflows/permits.js';

type State = ReturnType<typeof permits.newPermits>;
type Step = (state: State, nowMs: number) => void;

const id = fc.integer({ min: 0, max: 12 });
const kind = fc.constantFrom(0, 8, 13, 14);
const flag = fc.boolean();
const keyOf = (n: number) => ({ batch: `b${n % 3}`, id: `r${n}` });

/** Grants by number, those given back too: a message may arrive twice, late, or in another order. */
const grantNumber = fc.integer({ min: 0, max: 60 }).map((n) => 1_000 + n);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, kind, flag, flag).map(
    ([n, of, holds, apart]): Step =>
      (state, nowMs) =>
        permits.acquire(
          state,
          { job: keyOf(n), kind: of, holds: holds && n > 10, ...(apart ? { apart: true as const } : {}) },
          nowMs,
        ),
  ),
  id.map(
    (n): Step =>
      (state) =>
        permits.withdraw(state, keyOf(n)),
  ),
  grantNumber.map(
    (grant): Step =>
      (state, nowMs) =>
        permits.submitted(state, grant, nowMs),
  ),
  fc.tuple(grantNumber, fc.record({ overCap: flag, done: flag }), fc.nat({ max: 3 })).map(
    ([grant, how, held]): Step =>
      (state, nowMs) =>
        permits.release(state, { grant, ...how, ...(held === 3 ? { notBeforeMs: nowMs + 5_000 } : {}) }, nowMs),
  ),
  fc.tuple(id, kind).map(
    ([n, of]): Step =>
      (state, nowMs) => {
        const quiet = { fromMs: nowMs, untilMs: nowMs + 3_000 };
        permits.caseOpened(state, { job: keyOf(n), n: 1, kind: of, atMs: nowMs, quiet }, nowMs);
      },
  ),
  fc.tuple(id, flag).map(
    ([n, created]): Step =>
      (state, nowMs) =>
        permits.caseEnded(state, { job: keyOf(n), created }, nowMs),
  ),
  fc.integer({ min: 0, max: 6 }).map(
    (cap): Step =>
      (state) => {
        state.planCap = cap;
      },
  ),
);

describe('permits under messages in any order, lost and repeated (F54)', () => {
  it('grants within the cap, each number once, and takes each back once (I4, I5)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat({ max: 4_000 })), { maxLength: 120 }), (steps) => {
        const state = permits.newPermits(30_000, 1_000);
        state.planCap = 3;
        const seen = new Set<number>();
        let nowMs = 1_000;
        for (const [apply, waitMs] of steps) {
          nowMs += waitMs;
          permits.releaseDue(state, nowMs);
          apply(state, nowMs);
          const grants = permits.grantNext(state, nowMs);
          const slots = grants.filter((grant) => takesSlot(KINDS[grant.kind] ?? 'svc/image'));
          if (slots.length > 0) expect(slotsInUse(state)).toBeLessThanOrEqual(effectiveCap(state, nowMs));
          for (const { grant } of grants) {
            expect(seen.has(grant)).toBe(false);
            seen.add(grant);
          }
          const names = [...state.holders, ...state.waiting].map(({ job }) => job.id);
          expect(new Set(names).size).toBe(names.length);
          expect(state.holders.length - slotsInUse(state)).toBeLessThanOrEqual(6);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('serves everyone who waits once messages and time go on (no slot leaks)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat({ max: 4_000 })), { maxLength: 60 }), (steps) => {
        const state = permits.newPermits(30_000, 1_000);
        let nowMs = 1_000;
        for (const [apply, waitMs] of steps) {
          nowMs += waitMs;
          apply(state, nowMs);
          permits.grantNext(state, nowMs);
        }
        state.planCap = 3;
        for (let round = 0; round < 200 && state.waiting.length > 0; round += 1) {
          for (const { grant } of [...state.holders]) permits.release(state, { grant, done: true }, nowMs);
          nowMs = permits.nextDueMs(state, nowMs) ?? nowMs;
          permits.releaseDue(state, nowMs);
          permits.grantNext(state, nowMs);
        }
        expect(state.waiting).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
