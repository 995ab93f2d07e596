import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { KINDS } from '../../src/kinds/facts.js';
import { cli } from './harness.js';

describe('bash completes', () => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'callsheet completion '));
    script = join(folder, 'callsheet.bash');
    writeFileSync(script, (await cli(['completion', 'bash'])).stdout);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What bash offers behind the words; the last is the one that is being typed. */
  function offered(...words: string[]): string[] {
    // The batches come from the program itself.
    const run = `callsheet() { [ "$1 $2" = 'list --names' ] && printf 'night\\nnoon\\n'; }
      source "$0"; COMP_WORDS=(callsheet "$@"); COMP_CWORD=$#; _callsheet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync('bash', ['-c', run, script, ...words], { encoding: 'utf8' });
    return text.split('\n').filter((line) => line !== '');
  }

  test('every command, and the orders below one', () => {
    expect(offered('')).toEqual(COMMANDS.map(({ name }) => name));
    expect(offered('re')).toEqual(['resume', 'retry', 'rerun', 'review', 'results', 'report']);
    expect(offered('ledger', '')).toEqual(['show', 'verify', 'repair']);
  });

  test('kinds, shells and batches', () => {
    expect(offered('init', '')).toEqual(KINDS);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('watch', 'n')).toEqual(['night', 'noon']);
    expect(offered('review', 'show', 'noo')).toEqual(['noon']);
  });

  test('flags of the command that is typed, none that its help hides', () => {
    expect(offered('run', 'shots.csv', '--na')).toEqual(['--name', '--name-template']);
    expect(offered('status', '--max')).toEqual([]);
  });

  test('files behind a flag that takes a value and for a manifest', () => {
    expect(offered('run', '--out', '')).toEqual([]);
    expect(offered('run', '')).toEqual([]);
  });
});

test.each(['zsh', 'fish'])('%s is given every command with its line of the help', async (shell) => {
  const { stdout, exitCode } = await cli(['completion', shell]);
  expect(exitCode).toBe(0);
  for (const { name, summary } of COMMANDS) {
    expect(stdout).toContain(name);
    expect(stdout.replaceAll(/'\\''|\\'/g, "'")).toContain(summary);
  }
});

test('another shell is refused', async () => {
  expect(await cli(['completion', 'tcsh'])).toMatchObject({ exitCode: 2, stdout: '' });
});
