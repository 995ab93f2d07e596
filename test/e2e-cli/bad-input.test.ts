import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png } from '../manifest/media-samples.js';
import { badCsv, placeOf } from './support/bad-manifest.js';
import { BAD_ROWS_MANIFEST } from './support/bad-rows.js';
import { BAD_VIDEOS } from './support/bad-videos.js';
import { csv, image } from './support/manifest.js';
import { type Ended, type Rig, startRig } from './support/rig.js';

const HEADER = 'id,kind,model,prompt,width,height';
const REST = 'svc/image,svc-alpha.2-klein-4b,a fox,64,64';
const text = (...lines: string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

let rig: Rig;
let elsewhere: string;
beforeAll(async () => {
  rig = await startRig();
  elsewhere = mkdtempSync(join(tmpdir(), 'callsheet elsewhere '));
});
afterAll(async () => {
  rmSync(elsewhere, { recursive: true, force: true });
  await rig?.stop();
});

/** Runs it as if it were meant: nothing may be submitted. */
async function refused(manifest: string, args: string[] = [], env: Record<string, string> = {}): Promise<Ended> {
  const ended = await rig.run(['run', manifest, '--yes', ...args], { env });
  expect(rig.emulator.truth().requests.filter(({ method }) => method === 'POST')).toEqual([]);
  expect(ended.stdout).toBe('');
  return ended;
}

describe.each([
  ['rows.csv', BAD_ROWS_MANIFEST],
  ['videos.csv', BAD_VIDEOS],
])('bad rows of %s', (file, manifest) => {
  let ended: Ended;
  beforeAll(async () => {
    writeFileSync(join(elsewhere, 'secret.png'), png(64, 64));
    rmSync(join(rig.folder, 'link.png'), { force: true });
    symlinkSync(join(elsewhere, 'secret.png'), join(rig.folder, 'link.png'));
    await rig.write('notes.png', 'this is not a picture');
    await rig.write(file, badCsv(manifest));
    ended = await refused(file, ['--errors', 'problems.csv']);
  });

  it.each(manifest.bad.map((row, index) => [row.code, row.what, index, row.message] as const))(
    '%s: %s',
    (code, _, index, message) => {
      const start = `${file}:${placeOf(manifest, index)}: ${code} `;
      const line = ended.stderr.split('\n').find((one) => one.startsWith(start));
      expect(line, `${start}… in\n${ended.stderr}`).toBeDefined();
      if (typeof message === 'string') expect(line).toContain(message);
      else expect(line).toMatch(message);
    },
  );

  it('are all told, counted, and end with exit 2', () => {
    expect(ended.code).toBe(2);
    const lines = ended.stderr.trim().split('\n');
    expect(lines.filter((line) => line.startsWith(`${file}:`))).toHaveLength(manifest.bad.length);
    expect(lines.at(-1)).toContain(`the manifest has ${manifest.bad.length} problems: nothing was submitted`);
    expect(ended.stderr).not.toContain('sk-svc-secret');
  });
});

describe('the form of the manifest', () => {
  it.each<[string, string | Buffer | undefined, string | RegExp]>([
    ['B1 no such file', undefined, "FILE:1:1: B1 cannot read manifest 'FILE': no such file"],
    ['B2 an empty file', '', 'FILE:1:1: B2 manifest has no rows'],
    ['B2 a header only', text(), 'FILE:1:1: B2 manifest has no rows'],
    [
      'B3 UTF-16',
      Buffer.from(`\ufeff${text(`a,${REST}`)}`, 'utf16le'),
      'FILE:1:1: B3 not valid UTF-8 at byte 0; save as UTF-8',
    ],
    [
      'B3 Latin-1',
      Buffer.from(text(`a,${REST}`, `b,${REST.replace('fox', 'caf\xe9')}`), 'latin1'),
      /FILE:1:1: B3 not valid UTF-8 at byte \d+; save as UTF-8/,
    ],
    ['B4 binary', text(`a\u0000,${REST}`), /FILE:1:1: B4 binary data at byte \d+; is this a CSV\?/],
    ['B5 an open quote', text(`a,${REST}`, `"b,${REST}`), /FILE:3:\d+: B5 quote opened at line 3 is never closed/],
    ['B6 too many cells', text(`a,${REST},9`), 'FILE:2:1: B6 row has 7 cells, header has 6 (unquoted comma?)'],
    ['B6 too few cells', text('a,svc/image'), /FILE:2:\d+: B6 row has 2 cells, header has 6/],
    ['B7 semicolons', text(`a,${REST}`).replaceAll(',', ';'), "FILE:1:1: B7 looks ;-separated; use --delimiter ';'"],
    ['B7 tabs', text(`a,${REST}`).replaceAll(',', '\t'), /FILE:1:1: B7 looks TAB-separated; use --delimiter/i],
    ['B8 a header twice', `${HEADER},prompt\na,${REST},x\n`, "FILE:1:7: B8 column 'prompt' appears twice (4, 7)"],
    [
      'B9 a mistyped header',
      text(`a,${REST}`).replace('prompt', 'promt'),
      "FILE:1:4: B9 unknown column 'promt'; did you mean 'prompt'?",
    ],
    ['B10 no id column', text(`a,${REST}`).replace('id,', 'x-id,'), /FILE:1:1: B10 /],
    [
      'B22 a column n',
      `${HEADER},n\na,${REST},2\n`,
      "FILE:1:7: B22 unknown column 'n'; the service supports one output per request: add rows instead",
    ],
  ])('%s', async (name, content, said) => {
    const file = `${name.replaceAll(' ', '-')}.csv`;
    if (content !== undefined) await rig.write(file, content);
    const ended = await refused(file);
    expect(ended.code, ended.stderr).toBe(2);
    if (typeof said === 'string') expect(ended.stderr.split('\n')).toContain(said.replaceAll('FILE', file));
    else expect(ended.stderr).toMatch(new RegExp(said.source.replaceAll('FILE', file), said.flags));
  });

  it('B3 accepts a UTF-8 byte order mark, and CR LF', async () => {
    await rig.write('windows.csv', `\ufeff${text(`a,${REST}`).replaceAll('\n', '\r\n')}`);
    const planned = await rig.run(['plan', 'windows.csv']);
    expect(planned.code, planned.stderr).toBe(0);
  });

  it('B55 a cell of ten megabytes, told without holding it', async () => {
    const ended = await refused(
      await rig.write('wide.csv', text(`a,${REST.replace('a fox', 'x'.repeat(10_485_760))}`)),
    );
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/wide\.csv:2:4: B55 prompt: cell is 10485760 bytes, limit 1 MiB/);
  });

  it('B33, B34, B51: what has no effect is a warning, and the plan stands', async () => {
    await rig.write(
      'warned.csv',
      'id,kind,prompt,mode,sound,avatar_id,script,voice_id\na,vendor-a/text2video,a boat,4k,on,,,\nb,vendor-b/avatar,,,,anna,Hi.,v-amber-en\n',
    );
    const flags = ['--concurrency', '50', '--callback-url', 'http://127.0.0.1:9/hooks', '--listen', '127.0.0.1:9'];
    const planned = await rig.run(['plan', 'warned.csv', ...flags]);
    expect(planned.code, planned.stderr).toBe(0);
    expect(planned.stderr).toMatch(/warned\.csv:2:5: .*B33 sound is ignored in 4k mode/);
    expect(planned.stderr).toContain(
      'B34 callbacks work only on vendor-a text2video and image2video; polling the others',
    );
    expect(planned.stderr).toContain("B51 concurrency 50 exceeds the plan's 10; using 10");
  });

  it('B12 a file whose name cannot name the batch says which --name can', async () => {
    const ended = await refused(await rig.write('spring (1).csv', csv([image('a')])));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/B12 .*'spring \(1\)'.*--name spring-1/);
  });
});

describe('names, keys, URLs, limits and settings', () => {
  it.each<[string, number, string[], Record<string, string>, RegExp]>([
    ['B12 a batch name', 2, ['--name', '../x'], {}, /B12 --name '\.\.\/x' may/],
    [
      'B46 a template that leaves the folder',
      2,
      ['--name-template', '../{id}'],
      {},
      /B46 template '\.\.\/\{id\}' leaves the output folder/,
    ],
    [
      'B46 one name for all rows',
      2,
      ['--name-template', 'same'],
      {},
      /one\.csv:3:\d+: B46 lines 2 and 3 both write 'same'/,
    ],
    ['B49 a key with a line break', 4, [], { CALLSHEET_API_KEY: 'sk-svc-a\nb' }, /B49 API key has the wrong form/],
    ['B49 a key in quotes', 4, [], { CALLSHEET_API_KEY: '"sk-svc-a"' }, /B49 API key has the wrong form/],
    [
      'B50 http on a public host',
      4,
      [],
      { CALLSHEET_BASE_URL: 'http://example.com' },
      /B50 baseUrl must be https:\/\/host/,
    ],
    ['B50 a path', 4, [], { CALLSHEET_BASE_URL: 'https://example.com/v1' }, /B50 .*got 'https:\/\/example\.com\/v1'/],
    ['B50 a query', 4, ['--base-url', 'https://example.com?x=1'], {}, /B50 baseUrl must be https:\/\/host/],
    ['B50 credentials', 4, [], { CALLSHEET_BASE_URL: 'https://me:pass@example.com' }, /B50 .*\[redacted\]@/],
    ['B52 no budget at all', 2, ['--max-credits', '0'], {}, /B52 --max-credits must be a positive number of credits/],
    ['B52 a budget below nothing', 2, ['--max-credits=-1'], {}, /B52 --max-credits must be a positive number/],
    ['B52 a budget that is no number', 2, ['--max-credits', 'NaN'], {}, /B52 --max-credits must be a positive number/],
    [
      'B52 a budget below the plan',
      2,
      ['--max-credits', '0.000001'],
      {},
      /B52 planned 0\.000128 credits exceed --max-credits 0\.000001/,
    ],
    ['B53 if-proved without exclusive', 4, ['--no-exclusive'], {}, /B53 .*if-proved needs account\.exclusive: true/],
    ['B56 a setting of the wrong type', 4, ['--rpm', 'fast'], {}, /B56 .*--rpm must be a whole number/],
    [
      'B56 an unknown policy',
      4,
      ['--ambiguity', 'never'],
      {},
      /B56 .*--ambiguity must be one of hold, if-proved, always/,
    ],
    ['B56 a time scale for the real service', 4, ['--base-url', 'https://example.com'], {}, /B56 .*for rehearsals/],
  ])('%s', async (_, code, args, env, said) => {
    await rig.write('one.csv', csv([image('a'), image('b')]));
    const ended = await refused('one.csv', args, env);
    expect(ended.code, ended.stderr).toBe(code);
    expect(ended.stderr).toMatch(said);
    expect(ended.stderr).not.toMatch(/sk-svc-a|:pass@/);
  });

  it.each<[string, string, RegExp]>([
    [
      'an unknown setting',
      '{\n  "concurency": 3\n}',
      /settings\.json:2:3: B56 unknown setting 'concurency'; did you mean 'limits\.concurrency'\?/,
    ],
    ['broken JSON', '{\n  "limits": {\n    "rpm": 10,,\n  }\n}', /settings\.json:3:\d+: B56 expected/],
    ['a wrong type', '{ "limits": { "rpm": "many" } }', /settings\.json:1:\d+: B56 limits\.rpm must be a whole number/],
    ['a key in the file', '{ "apiKey": "sk-svc-b" }', /settings\.json:1:3: B56 'apiKey' is no setting/],
  ])('B56 %s in the settings file', async (_, content, said) => {
    await rig.write('one.csv', csv([image('a')]));
    await rig.write('settings.json', content);
    const ended = await refused('one.csv', ['--config', 'settings.json']);
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(said);
    expect(ended.stderr).not.toContain('sk-svc-b');
  });
});
