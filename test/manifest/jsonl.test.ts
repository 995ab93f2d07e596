import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile, checkText } from './support.js';
import { temporaryFolder } from './temp-folder.js';

const image = { id: 'a', kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox' };
const jsonl = (...lines: (object | string)[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
const check = (...lines: (object | string)[]) => checkText(jsonl(...lines), { format: 'jsonl' });
const printed = async (...lines: (object | string)[]): Promise<string[]> => (await check(...lines)).printed;

describe('JSONL', () => {
  it('takes native types', async () => {
    const { passed, printed: problems } = await check(
      { ...image, width: 1024, height: 1024, steps: 12, seed: -5, extra: { mood: 'x' }, 'x-n': 5, group: null },
      { id: 'b', kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'x', duration: 2.5, audio: true },
      { id: 'c', kind: 'vendor-a/omni-video', images: ['https://a.example/1.png', 'https://a.example/2.png'] },
      { id: 'd', kind: 'vendor-a/text2video', shot_type: 'customize', shots: [{ prompt: 'a', duration: 3 }] },
    );
    expect(problems).toEqual([]);
    expect(passed.map(({ cells }) => cells)).toEqual([
      { model: 'svc-delta-4', prompt: 'a fox', width: 1024, height: 1024, steps: 12, seed: -5 },
      { model: 'svc-epsilon-2.5-video', prompt: 'x', duration: 2.5, audio: true },
      {},
      { shot_type: 'customize', shots: [{ prompt: 'a', duration: 3 }] },
    ]);
    expect(passed[0]).toMatchObject({ extra: { mood: 'x' }, passthrough: { 'x-n': '5' } });
    expect(passed[2]?.media.images).toHaveLength(2);
  });

  it('gives the same rows and hashes as the CSV of the same content', async () => {
    const fromJson = await check({ ...image, width: 1024, height: 1024 });
    const fromCsv = await checkText('height,id,kind,model,width,prompt\n1024,a,svc/image,svc-delta-4,1024,a fox\n');
    expect(fromJson.passed[0]).toMatchObject({ ...fromCsv.passed[0], line: 1 });
  });

  it('B16: a number that is not written plainly keeps its digits', async () => {
    expect(
      await printed('{"id":"a","kind":"svc/image","model":"svc-delta-4","prompt":"p","width":1024.0,"height":1e3}'),
    ).toEqual([
      "<stdin>:1:5: B16 width must be a plain integer (1-8192), got '1024.0'",
      "<stdin>:1:6: B16 height must be a plain integer (1-8192), got '1e3'",
    ]);
  });

  it('B16: the string 1024 is not converted (service document 1, Dimension rules 3)', async () => {
    expect(await printed({ ...image, width: '1024', height: 1024 })).toEqual([
      "<stdin>:1:5: B16 width must be a plain integer (1-8192), got '1024' as a string",
    ]);
  });

  it('2-D10: seconds of multi-mode video may be a string, as the documents send them, and shots may have their index', async () => {
    const film = { id: 'a', kind: 'vendor-a/text2video', prompt: 'a boat' };
    const asString = await check({ ...film, duration: '5' });
    const asNumber = await check({ ...film, duration: 5 });
    expect(asString.printed).toEqual([]);
    expect(asString.passed[0]).toEqual(asNumber.passed[0]);
    expect(await printed({ ...film, duration: '16' })).toEqual([expect.stringContaining('B27 duration must be 3-15')]);
    const shot = { prompt: 'a door', duration: '3' };
    const board = { id: 'a', kind: 'vendor-a/omni-video', images: 'https://a.example/a.png', shot_type: 'customize' };
    const numbered = await check({
      ...board,
      shots: [
        { index: 1, ...shot },
        { index: 2, ...shot },
      ],
    });
    expect(numbered.printed).toEqual([]);
    expect(numbered.passed[0]).toEqual((await check({ ...board, shots: [shot, shot] })).passed[0]);
    expect(await printed({ ...board, shots: [{ index: 2, ...shot }] })).toEqual([
      expect.stringContaining('B32 shots: the index of shot 1 must be 1'),
    ]);
  });

  it('B58, B60: other native types in the wrong place', async () => {
    expect(await printed({ ...image, prompt: 5 })).toEqual(['<stdin>:1:4: B60 prompt must be a string, got 5']);
    expect(await printed({ ...image, id: 5 })).toEqual(["<stdin>:1:1: B12 id must be a string, got '5'"]);
    expect(
      await printed({ ...image, id: 'b', kind: 'svc/clip', model: 'svc-epsilon-2.3-video', audio: 'true' }),
    ).toEqual(["<stdin>:1:5: B58 audio must be true or false, got 'true' as a string"]);
    expect(await printed({ ...image, group: ['a'] })).toEqual([`<stdin>:1:5: B60 group must be a string, got '["a"]'`]);
    expect(await printed({ id: 'c', kind: 'vendor-a/image2video', image: ['https://a.example/a.png'] })).toEqual([
      expect.stringContaining('B60 image must be one URL, data: URI or path'),
    ]);
    expect(await printed({ id: 'c', kind: 'vendor-a/omni-video', images: [5] })).toEqual([
      expect.stringContaining('B60 images must be a JSON array of strings'),
    ]);
  });

  it('B60: a broken line is one problem; the others are still checked', async () => {
    const problems = await printed(image, '{"id":', '', '[1]', '"x"', { ...image, id: '.b' });
    expect(problems).toEqual([
      expect.stringMatching(/^<stdin>:2:1: B60 the line is not valid JSON/),
      '<stdin>:4:1: B60 the line is not a JSON object; JSONL has one object per line',
      '<stdin>:5:1: B60 the line is not a JSON object; JSONL has one object per line',
      expect.stringMatching(/^<stdin>:6:1: B12/),
    ]);
  });

  it('never shows a piece of a broken line', async () => {
    const line = '{"id":"a","prompt":"my key is sk-svc-0123456789abcdef"" }';
    const [problem] = await printed(line);
    expect(problem).toMatch(/^<stdin>:1:1: B60 the line is not valid JSON( at character \d+)?$/);
  });

  it('B9: what is missing since its field is misspelt is said once', async () => {
    const { prompt, ...rest } = image;
    expect(await printed({ ...rest, promt: prompt })).toEqual([
      "<stdin>:1:4: B9 unknown column 'promt'; did you mean 'prompt'?",
    ]);
    expect(await printed({ ...image, widht: 1024, height: 1024 })).toEqual([
      "<stdin>:1:5: B9 unknown column 'widht'; did you mean 'width'?",
    ]);
  });

  it('B8, B9, B22: repeated and unknown fields, with their position', async () => {
    expect(await printed('{"id":"a","kind":"svc/image","model":"svc-delta-4","prompt":"p","prompt":"q"}')).toEqual([
      "<stdin>:1:5: B8 column 'prompt' appears twice (4, 5)",
    ]);
    expect(await printed({ ...image, promt: 'x', n: 1 })).toEqual([
      "<stdin>:1:5: B9 unknown column 'promt'; did you mean 'prompt'?",
      expect.stringMatching(/^<stdin>:1:6: B22/),
    ]);
    expect(
      await printed('{"__proto__":{"id":"x"},"id":"a","kind":"svc/image","model":"svc-delta-4","prompt":"p"}'),
    ).toEqual([expect.stringContaining("<stdin>:1:1: B9 unknown column '__proto__'")]);
  });

  it('B2: no rows', async () => {
    expect(await printed('', ' ', '')).toEqual(['<stdin>:1:1: B2 manifest has no rows']);
  });

  it('takes a byte order mark before any line, as files have that were put together', async () => {
    const line = JSON.stringify({ ...image, id: 'a' });
    const other = JSON.stringify({ ...image, id: 'b' });
    expect(await printed(`\ufeff\ufeff${line}`, '\ufeff', `\ufeff${other}`)).toEqual([]);
  });

  it('B3, B4: text that cannot be sent', async () => {
    expect(await printed('{"id":"a","kind":"svc/image","model":"svc-delta-4","prompt":"x\\ud800y"}')).toEqual([
      expect.stringMatching(/^<stdin>:1:4: B3 prompt is not valid Unicode/),
    ]);
    expect(await printed({ ...image, prompt: 'a\u0000b' })).toEqual(['<stdin>:1:4: B4 prompt holds a NUL character']);
    expect(await printed({ ...image, 'x-a': 'n\u0000ul' }, { ...image, id: 'b', 'x-a': 'n\ud800ul' })).toEqual([
      '<stdin>:1:5: B4 x-a holds a NUL character',
      '<stdin>:2:5: B3 x-a is not valid Unicode (half of a surrogate pair)',
    ]);
    expect(await printed({ ...image, 'x-\u0000': 'a' }, { ...image, id: 'b', 'x-\udc00': 'a' })).toEqual([
      "<stdin>:1:5: B4 column 'x-\\x00' holds a NUL character",
      "<stdin>:2:5: B3 column 'x-\\udc00' is not valid Unicode (half of a surrogate pair)",
    ]);
  });

  it('B55: a cell over 1 MiB', async () => {
    expect(await printed({ ...image, prompt: 'x'.repeat(1024 * 1024 + 1) })).toEqual([
      '<stdin>:1:4: B55 prompt: cell is 1048577 bytes, limit 1 MiB',
    ]);
  });

  it('names files by fields that only some lines have', async () => {
    const lines = jsonl(image, { ...image, id: 'b', 'x-scene': 'S2' });
    const { passed, printed: problems } = await checkText(lines, { format: 'jsonl', nameTemplate: '{x-scene}-{id}' });
    expect(problems).toEqual([]);
    expect(passed.map(({ stem }) => stem)).toEqual(['none-a', 'S2-b']);
  });

  it('is known by its file name', async () => {
    for (const name of ['a.jsonl', 'b.ndjson', 'C.JSONL']) {
      const path = join(folder, name);
      writeFileSync(path, `\ufeff${jsonl(image)}\r\n`);
      expect((await checkFile(path)).printed, name).toEqual([]);
    }
  });

  const folder = temporaryFolder();
});
