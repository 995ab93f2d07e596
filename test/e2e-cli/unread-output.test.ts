// Commands whose standard output or error nobody reads, or which stand on a full disk: what counts is what they did.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { results } from './support/evidence.js';
import { csv, image } from './support/manifest.js';
import { BIN, type Rig, startRig } from './support/rig.js';

const CUT_OFF = 'standard output cannot be written (ENOSPC): what it should hold is not complete';

describe.skipIf(!hasTemporal() || !existsSync('/dev/full'))('output that cannot be written', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ speed: 200 });
    await rig.write(
      'bad.csv',
      csv([
        { ...image('a'), width: '0' },
        { ...image('b'), width: '0' },
      ]),
    );
  });
  afterAll(() => rig?.stop());

  /** The command stands as `"$@"` in a line of the shell; what the line prints and its exit code. */
  function shell(line: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
    const all = ['-c', line, 'sh', process.execPath, BIN, ...args];
    const child = spawn('sh', all, { cwd: rig.folder, env: rig.environment, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, said }));
    });
  }
  /** Nobody reads standard error; the exit code is printed by the shell. */
  const UNREAD_ERRORS = '{ { "$@" 2>&1 >&4 4>&-; echo "code $?" >&3; } | :; } 3>&1 4>/dev/null';
  const UNREAD = '{ { "$@" 2>&1; echo "code $?" >&3; } | :; } 3>&1';

  it('a bad manifest is 2, whoever reads what is wrong with it', async () => {
    expect((await shell(UNREAD, ['plan', 'bad.csv'])).said).toBe('code 2\n');
    expect(await shell('"$@" 2>/dev/full', ['plan', 'bad.csv'])).toEqual({ code: 2, said: '' });
    const json = await shell('"$@" 2>&1 >/dev/full', ['plan', 'bad.csv', '--json']);
    expect([json.code, json.said]).toEqual([2, expect.stringContaining(`error: ${CUT_OFF}\n`)]);
  });

  it('a command that prints alone fails as one whose store cannot be written: one sentence, and 4', async () => {
    for (const args of [['kinds', '--json'], ['init', 'svc/image'], ['--help'], ['list', '--json']]) {
      const said = `error: ${CUT_OFF}\n`;
      expect(await shell('"$@" 2>&1 >/dev/full', args), args.join(' ')).toEqual({ code: 4, said });
    }
  });

  it('a run goes on without readers and on a full disk, and ends with its own exit code', async () => {
    await rig.write('unread.csv', csv([image('a'), image('b')]));
    expect((await shell(UNREAD_ERRORS, ['run', 'unread.csv', '--yes', '--json'])).said).toBe('code 0\n');
    expect(results(rig, 'unread').map(({ status }) => status)).toEqual(['done', 'done']);
    await rig.write('full.csv', csv([image('a'), image('b')]));
    const full = await shell('"$@" 2>&1 >/dev/full', ['run', 'full.csv', '--yes', '--json']);
    expect(full.code, full.said).toBe(0);
    expect(full.said.split(CUT_OFF)).toHaveLength(2);
    expect(results(rig, 'full').map(({ status }) => status)).toEqual(['done', 'done']);
  });
});
