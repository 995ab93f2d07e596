// An update replaces callsheet's files beside a command that runs, and an installation can be broken off.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('a part that is gone is told in one sentence, and is no defect', () => {
  const copy = mkdtempSync(join(tmpdir(), 'callsheet updated '));
  try {
    for (const part of ['bin', 'package.json', join('dist', 'cli')]) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const kinds = (...more: string[]) =>
      spawnSync(process.execPath, [join(copy, 'bin', 'callsheet.js'), 'kinds', ...more], { encoding: 'utf8' });
    expect(kinds().status).toBe(0);
    const parts = readdirSync(join(copy, 'dist', 'cli')).filter((name) => name.startsWith('kinds-'));
    expect(parts).toHaveLength(1);
    for (const name of parts) rmSync(join(copy, 'dist', 'cli', name));
    const { status, stderr } = kinds();
    expect(stderr).toMatch(/^error: a part of callsheet is gone: it was updated [^\n]*\n$/);
    expect(status).toBe(4);
    expect(JSON.parse(kinds('--json').stdout)).toMatchObject({
      type: 'error',
      exitCode: 4,
      message: expect.stringContaining('a part of callsheet is gone'),
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
