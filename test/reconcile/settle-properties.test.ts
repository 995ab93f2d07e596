import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SimulatedCase, type SimulationOptions, simulate } from './simulated-account.js';

/** `CALLSHEET_PROPERTY_RUNS` raises the number of accounts for a kept run. */
const RUNS = Number(process.env.CALLSHEET_PROPERTY_RUNS ?? 200);

/** A refund after a bill is found later, and one before a verdict is no bill. */
function isWrong({ verdict, truth }: SimulatedCase): boolean {
  return (verdict === 'not_billed' && truth === 'billed') || (verdict === 'billed' && truth === 'not_billed');
}

function settledShare(options: SimulationOptions): number {
  const cases = Array.from({ length: RUNS }, (_, seed) => simulate(seed, options)).flat();
  return cases.filter(({ verdict }) => verdict !== 'undecided').length / cases.length;
}

describe('settle on simulated accounts', { timeout: 120_000 }, () => {
  it('I10: no verdict is wrong while Θ, Λ and the prices hold, whatever else happens on the account', () => {
    const seeds = fc.record({
      seed: fc.integer({ min: 0, max: 2 ** 31 }),
      priceError: fc.constantFrom(0, 0.02),
      topUps: fc.boolean(),
    });
    const check = fc.property(seeds, ({ seed, ...options }) => simulate(seed, options).filter(isWrong).length === 0);
    fc.assert(check, { numRuns: RUNS });
  });

  it('settles at least nine in ten cases with exact prices', () => {
    expect(settledShare({ priceError: 0, topUps: true })).toBeGreaterThanOrEqual(0.9);
  });

  it('settles at least seven in ten cases with prices known to two percent', () => {
    expect(settledShare({ priceError: 0.02, topUps: true })).toBeGreaterThanOrEqual(0.7);
  });
});
