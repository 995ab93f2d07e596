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
    [6688, 'rows that were never opened before a cancel stand in the results (I6)'],
    [7922, 'rows that were never opened before a cancel stand in the results (I6)'],
    [7001, 'a cancel is not lost with the worker that happened to act last (I19)'],
    [7377, 'a bill that comes back after its batch has ended stands in the results (I6)'],
    [8305, 'a worker that was stopped during a cancel sends nothing afterwards (I19)'],
  ])('seed %i: %s', (seed) => {
    const { status, stdout } = simulate('--seed', String(seed));
    expect(status, stdout).toBe(0);
  });

  test('what it cannot understand is told in one sentence', () => {
    const { status, stderr } = simulate('--break', 'gravity');
    expect(status).toBe(2);
    expect(stderr).toContain(
      "--break takes theta, lambda, dmax, timing, exclusive, prices, resend, clock or all, got 'gravity'",
    );
  });
});
