// The credits check against random accounts whose truth is known: "no not_billed verdict is wrong" (G3, I10), and the
// truth is among the consistent explanations ("The principle").
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../sim/run.mjs', import.meta.url));
const LONG_MS = 600_000;

function histories(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, 'histories', '--jobs', '1', ...args], { encoding: 'utf8' });
}

describe('random account histories', () => {
  test(
    'in 3,000 of them the truth is always an explanation, and no verdict contradicts it',
    () => {
      const { status, stdout } = histories('--count', '3000');
      expect(stdout).toContain('breaches            none');
      expect(status, stdout).toBe(0);
    },
    LONG_MS,
  );

  test(
    'each assumption that is broken by itself shows within 400 of them',
    () => {
      const { status, stdout } = histories('--count', '400', '--break', 'all');
      expect(status, stdout).toBe(0);
    },
    LONG_MS,
  );

  test('what they cannot understand is told in one sentence', () => {
    const { status, stderr } = histories('--count', 'many');
    expect(status).toBe(2);
    expect(stderr).toContain("--count must be a whole number above 0, got 'many'");
  });
});
