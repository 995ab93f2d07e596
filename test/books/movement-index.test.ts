// The sums over movements that the credits check compares readings by say what a walk over every movement says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Movement, Reading } from '../../src/books/check/evidence.js';
import {
  indexMovements,
  momentAt,
  mostBetween,
  opennessOf,
  sharesBetween,
} from '../../src/books/check/movement-index.js';
import { propertyRuns, SEED } from '../properties/property-runs.js';

const RUNS = propertyRuns(400);
/** Instants are few, so that many fall together. */
const LAST = 30;
const LAMBDA = 3;
const INFINITY = Number.POSITIVE_INFINITY;

const instant = fc.integer({ min: 0, max: LAST });
const amount = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(0, -INFINITY, 1.5, 3e11));
const movement: fc.Arbitrary<Movement> = fc
  .record({
    fromMs: instant,
    toMs: fc.option(instant),
    afterMs: fc.constantFrom(0, 0, 5),
    lo: amount,
    more: fc.option(fc.constantFrom(0, 0, 7, 40)),
    peak: fc.option(fc.integer({ min: 0, max: 90 })),
  })
  .map(({ more, ...one }) => ({ ...one, hi: more === null ? null : one.lo === -INFINITY ? more : one.lo + more }));
/** Most are answered after they were asked; where a clock was set back that is not so. */
const reading: fc.Arbitrary<Reading> = fc
  .record({ askedMs: instant, tookMs: fc.constantFrom(0, 1, 4, -2) })
  .map(({ askedMs, tookMs }) => ({ askedMs, atMs: askedMs + tookMs, balanceNano: 0 }));
const account = { movements: fc.array(movement, { maxLength: 40 }), base: reading, at: reading };

/** What one movement adds to the fall, said once more and without any preparation. */
function shareOf({ lo, hi, peak, fromMs, toMs, afterMs }: Movement, base: Reading, at: Reading) {
  const isSettled = (one: Reading): boolean => toMs !== null && toMs + afterMs + LAMBDA <= one.askedMs;
  if (fromMs > at.atMs || isSettled(base)) return { lo: 0, hi: 0 };
  const whole = { lo, hi: hi ?? INFINITY };
  const moving = { lo: Math.min(0, lo), hi: Math.max(0, whole.hi, peak ?? INFINITY) };
  const now = isSettled(at) ? whole : moving;
  if (fromMs > base.atMs) return now;
  const change = { lo: now.lo - moving.hi, hi: now.hi - moving.lo };
  if (at.askedMs - LAMBDA < base.atMs) return change;
  if (lo > 0 && whole.hi >= moving.hi) return { ...change, lo: Math.max(0, change.lo) };
  return moving.hi <= 0 ? { ...change, hi: Math.min(0, change.hi) } : change;
}

function walked(movements: Movement[], base: Reading, at: Reading) {
  const shares = movements.map((one) => shareOf(one, base, at));
  return {
    explained: {
      lo: shares.reduce((sum, { lo }) => sum + lo, 0),
      hi: shares.reduce((sum, { hi }) => sum + hi, 0),
    },
    charges: shares.filter(({ lo, hi }) => lo !== 0 || hi !== 0).length,
  };
}

function openness(movements: Movement[], at: Reading): number {
  return movements.reduce((sum, { fromMs, toMs, afterMs, lo, hi, peak }) => {
    if (fromMs > at.atMs || (toMs !== null && toMs + afterMs + LAMBDA <= at.askedMs)) return sum;
    return sum + Math.max(0, hi ?? INFINITY, peak ?? INFINITY) - Math.min(0, lo);
  }, 0);
}

describe('an index of movements', () => {
  it('finds what every pair of readings leaves to the known attempts, and how many of them were charged', () => {
    fc.assert(
      fc.property(account.movements, account.base, account.at, (movements, base, at) => {
        const index = indexMovements({ movements, lambdaMs: LAMBDA });
        const found = sharesBetween(index, momentAt(index, base), momentAt(index, at));
        expect(found).toEqual(walked(movements, base, at));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  it('finds how open each reading is', () => {
    fc.assert(
      fc.property(account.movements, account.at, (movements, at) => {
        expect(opennessOf(indexMovements({ movements, lambdaMs: LAMBDA }), at)).toBe(openness(movements, at));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  it('never says less than that where it looks at no movement', () => {
    fc.assert(
      fc.property(account.movements, account.base, account.at, (movements, base, at) => {
        const index = indexMovements({ movements, lambdaMs: LAMBDA });
        const openNano = opennessOf(index, base) + opennessOf(index, at);
        const most = mostBetween(index, base, at, openNano);
        const { explained, charges } = walked(movements, base, at);
        expect(most.explained.hi).toBeGreaterThanOrEqual(explained.hi);
        expect(most.charges).toBeGreaterThanOrEqual(charges);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});
