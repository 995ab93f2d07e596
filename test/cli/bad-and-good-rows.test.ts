// A manifest with one bad row before good ones is refused in words (design 2, exit code 2), however it is given.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

/** Nobody listens at port 9: whatever is sent there is noticed as exit 5. */
const env = { CALLSHEET_BASE_URL: 'http://127.0.0.1:9', CALLSHEET_API_KEY: 'sk-svc-not-a-real-key' };
const HEADER = 'id,kind,model,prompt,width,height\n';
const good = (id: string) => `${id},svc/image,svc-alpha.2-klein-4b,a boat,1024,1024\n`;
const BAD: Record<string, [row: string, said: string]> = {
  'an unknown model': ['b,svc/image,no-such-model,a boat,1024,1024\n', 'B13'],
  'an empty prompt': ['b,svc/image,svc-alpha.2-klein-4b,,1024,1024\n', 'prompt'],
  'an id that is used twice': [good('a'), 'B11'],
  'too few cells': ['b,svc/image\n', 'B6'],
  'a bad id': ['../b,svc/image,svc-alpha.2-klein-4b,a boat,1024,1024\n', 'B12'],
  'an empty id': [',svc/image,svc-alpha.2-klein-4b,a boat,1024,1024\n', 'B10'],
  'a number in words': ['b,svc/image,svc-alpha.2-klein-4b,a boat,1e3,1024\n', 'B16'],
  'an unknown kind': ['b,svc/imag,svc-alpha.2-klein-4b,a boat,1024,1024\n', 'svc/imag'],
};

let cwd: string;
beforeEach(() => {
  cwd = workFolder();
});

const run = (args: string[], stdin?: string) =>
  cli(['run', ...args], { cwd, env, ...(stdin === undefined ? {} : { stdin }) });

describe('4-U4, 5-X7: a bad row among good ones', () => {
  test.each(Object.entries(BAD))('%s', async (_name, [row, said]) => {
    for (const rows of [
      good('a') + row + good('c'),
      good('a') + row + good('c') + row.replace(/^b/, 'd') + good('e'),
    ]) {
      writeFileSync(join(cwd, 'shots.csv'), HEADER + rows);
      const { exitCode, stderr, stdout } = await run(['shots.csv']);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(said);
      expect(stderr).toMatch(/error: the manifest has \d problems?: nothing was submitted\n$/);
    }
  });

  test('in the first row, from standard input, as JSON lines, with --errors and --json', async () => {
    const [bad] = BAD['an unknown model'] ?? [''];
    const text = HEADER + bad + good('a') + good('c');
    expect((await run(['-', '--name', 'shots'], text)).exitCode).toBe(2);
    writeFileSync(join(cwd, 'shots.csv'), text);
    const json = await run(['shots.csv', '--json', '--errors', 'problems.csv']);
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'error', exitCode: 2 });
    expect(readFileSync(join(cwd, 'problems.csv'), 'utf8')).toContain('B13');
    const line = { kind: 'svc/image', model: 'svc-alpha.2-klein-4b', prompt: 'x', width: 64, height: 64 };
    const lines = [
      { id: 'a', ...line, width: '1e3' },
      { id: 'b', ...line },
    ].map((one) => JSON.stringify(one));
    writeFileSync(join(cwd, 'shots.jsonl'), `${lines.join('\n')}\n`);
    const { exitCode, stderr } = await run(['shots.jsonl']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('the manifest has 1 problem: nothing was submitted'),
    ]);
  });

  test('more rows than are named at once, the bad one among the first and among the last', async () => {
    for (const at of [3, 1_500]) {
      const rows = Array.from({ length: 1_600 }, (_, i) =>
        i === at ? (BAD['an unknown model']?.[0] ?? '') : good(`r${i}`),
      );
      writeFileSync(join(cwd, 'many.csv'), HEADER + rows.join(''));
      expect((await run(['many.csv'])).exitCode).toBe(2);
    }
  });

  test('leaves no rows behind, and the mended manifest is run', async () => {
    const [bad] = BAD['an unknown model'] ?? [''];
    writeFileSync(join(cwd, 'shots.csv'), HEADER + bad + good('a'));
    expect((await run(['shots.csv'])).exitCode).toBe(2);
    const data = join(cwd, 'data');
    const left = existsSync(data) ? await readdir(data, { recursive: true, withFileTypes: true }) : [];
    expect(left.filter((one) => one.isFile()).map(({ name }) => name)).toEqual([]);
    writeFileSync(join(cwd, 'shots.csv'), HEADER + good('b') + good('a'));
    expect((await run(['shots.csv', '--yes'])).exitCode).toBe(5);
  });
});

test('warnings of more than a hundred rows are counted', async () => {
  const rows = Array.from({ length: 102 }, (_, i) => `r${i},vendor-a/text2video,a boat,4k,on\n`).join('');
  writeFileSync(join(cwd, 'shots.csv'), `id,kind,prompt,mode,sound\n${rows}`);
  const { exitCode, stderr } = await cli(['plan', 'shots.csv', '--no-network'], { cwd });
  expect([exitCode, stderr.match(/B33/g)?.length]).toEqual([0, 100]);
  expect(stderr).toContain('warning: 2 more warnings of the manifest not shown\n');
});
