// The simulation keeps its promises (I1-I7, I9-I14, I17, I19, I21) over 200 seeds, and a seed repeats itself.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../sim/run.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'callsheet-sim-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LONG_MS = 1_200_000;

function simulate(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
}

describe('simulation', () => {
  test(
    '200 seeds with lost answers, crashes, late balances and wiped servers break no invariant',
    () => {
      const json = join(folder, 'sim.json');
      const { status, stdout } = simulate('--seeds', '200', '--json', json);
      const [run] = JSON.parse(readFileSync(json, 'utf8')).runs;
      expect(run.failedSeeds, stdout).toEqual([]);
      expect(run.differing).toEqual([]);
      expect(run.verdicts.not_billed.wrong).toBe(0);
      expect(run.ambiguousShare).toBeGreaterThan(0.05);
      // "The extra requests that checking costs": credits and discounts, of what the plan allows.
      expect(run.extraRequestsOfPlan.nothingLost).toBeLessThan(0.05);
      expect(status).toBe(0);
    },
    LONG_MS,
  );

  test.each([
    [36, 'of two answers of one price one was billed: they are settled by count, and that is no second payment (G1)'],
    [57, "a gateway's cached answer confirms nothing (T8)"],
    [78, "a gateway's failure is not the service's word that nothing was charged (S1, S2)"],
    [1011543, 'a grant that is told twice frees no slot of a call that may still run (I4)'],
    [128, "a gateway's failure of an image is not the service's word either (S1, S2)"],
  ])('seed %i: %s', (seed) => {
    const { status, stdout } = simulate('--seed', String(seed));
    expect(status, stdout).toBe(0);
  });

  test('what it cannot understand is told in one sentence', () => {
    const { status, stderr } = simulate('--break', 'gravity');
    expect(status).toBe(2);
    expect(stderr).toContain(
      "--break takes theta, lambda, rho, dmax, timing, exclusive, prices, resend, clock or all, got 'gravity'",
    );
  });
});
