// The simulation keeps its promises (I1-I7, I9-I14, I17, I19, I21, chains, copies) over 120 seeds, and a seed repeats itself.
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
    '120 seeds with lost answers, crashes, late balances and wiped servers break no invariant',
    () => {
      const json = join(folder, 'sim.json');
      const { status, stdout } = simulate('--seeds', '120', '--json', json);
      const [run] = JSON.parse(readFileSync(json, 'utf8')).runs;
      expect(run.failedSeeds, stdout).toEqual([]);
      expect(run.differing).toEqual([]);
      expect(run.verdicts.not_billed.wrong).toBe(0);
      expect(run.ambiguousShare).toBeGreaterThan(0.05);
      // "The extra requests that checking costs": credits and discounts, of what the plan allows.
      expect(run.extraRequestsOfPlan.nothingLost).toBeLessThan(0.05);
      // Rows that feed rows: most are fed, some wait in vain.
      const { first, retried } = run.fedEnds;
      expect(first.done).toBeGreaterThan(100);
      expect(first.upstream_review).toBeGreaterThan(0);
      expect(first.upstream_failed).toBeGreaterThan(0);
      expect(retried.upstream_failed ?? 0).toBeLessThan(first.upstream_failed);
      expect(status).toBe(0);
    },
    LONG_MS,
  );

  // The trace must show the situation, so that a seed which no longer has it is noticed.
  test.each([
    [
      380,
      'of two answers of one price one was billed: they are settled by count, and that is no second payment (G1)',
      [/verdict not_billed, together as/, /verdict billed, together as/],
    ],
    [68, "a gateway's cached answer confirms nothing (T8)", [/b3\/r0\.1: 200, which proves nothing by cached-answer/]],
    [
      455,
      'a grant that is told twice frees no slot of a call that may still run (I4)',
      [/POST \d+ of b1\/(r\d+)\.\d+ makes job[\s\S]*is told again to callsheet\/default\/job\/b1\/\1\b/],
    ],
    [
      1900,
      'a wait for a grant that the server gave up while its worker stood still asks for none any more (I5)',
      [/stopped for 30 s\n(.*\n)+.*ledger b2\/r9 1 void/, /ledger b2\/r9 2 done/],
    ],
  ])('seed %i: %s', (seed, _what, shown) => {
    const { status, stdout } = simulate('--seed', String(seed), '--trace');
    expect(status, stdout).toBe(0);
    for (const line of shown) expect(stdout).toMatch(line);
  });

  test('what it cannot understand is told in one sentence', () => {
    const { status, stderr } = simulate('--break', 'gravity');
    expect(status).toBe(2);
    expect(stderr).toContain(
      "--break takes theta, lambda, rho, dmax, timing, exclusive, prices, resend, clock or all, got 'gravity'",
    );
  });
});
