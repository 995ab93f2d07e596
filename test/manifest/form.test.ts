import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile, checkText } from './support.js';
import { temporaryFolder } from './temp-folder.js';

const HEADER = 'id,kind,model,prompt,width,height';
const REST = 'svc/image,svc-alpha.2-klein-4b,a fox,64,64';
const good = (id: string): string => `${id},${REST}`;
const printed = async (text: string | Uint8Array, delimiter?: string): Promise<string[]> =>
  (await checkText(text, delimiter === undefined ? {} : { delimiter })).printed;

describe('the file', () => {
  const folder = temporaryFolder();

  it('B1: a missing file', async () => {
    const path = join(folder, 'x.csv');
    expect((await checkFile(path)).printed).toEqual([`${path}:1:1: B1 cannot read manifest '${path}': no such file`]);
  });

  it('B1: a folder', async () => {
    const path = join(folder, 'folder.csv');
    mkdirSync(path);
    expect((await checkFile(path)).printed).toEqual([expect.stringContaining('B1 cannot read manifest')]);
  });

  it('B2: an empty file, a header only, blank lines only', async () => {
    for (const text of ['', '\ufeff', `${HEADER}\n`, HEADER, '\n\n\r\n', '  \n\t\n \n', ',,\n , ,\n']) {
      expect(await printed(text), JSON.stringify(text)).toEqual(['<stdin>:1:1: B2 manifest has no rows']);
    }
  });

  it('leaves out lines of blanks, wherever they stand', async () => {
    expect(await printed(` \n,,\n${HEADER}\n   \n${good('a')}\n \t\n`)).toEqual([]);
    expect(await printed(`  \n${HEADER}\n  \nb,svc/none,,,,\n`)).toEqual([expect.stringMatching(/^<stdin>:4:2: B57/)]);
    expect(await printed(` \n"id";"kind"\n"a";"b"\n`)).toEqual([expect.stringMatching(/^<stdin>:2:1: B7 looks ;/)]);
  });

  it('B3: a UTF-16 byte order mark', async () => {
    expect(await printed(Buffer.from('\ufeffid,kind\n', 'utf16le'))).toEqual([
      '<stdin>:1:1: B3 not valid UTF-8 at byte 0; save as UTF-8',
    ]);
  });

  it('B3: a Latin-1 byte, with its place, also far into the file', async () => {
    expect(await printed(Buffer.from('id,prompt\na,caf\xe9\n', 'latin1'))).toEqual([
      '<stdin>:1:1: B3 not valid UTF-8 at byte 15; save as UTF-8',
    ]);
    const rows = `${HEADER}\n${Array.from({ length: 5000 }, (_, at) => good(`r${at}`)).join('\n')}\n`;
    const bytes = Buffer.concat([Buffer.from(rows), Buffer.from([0xe9, 0x2c])]);
    expect(await printed(bytes)).toEqual([`<stdin>:1:1: B3 not valid UTF-8 at byte ${rows.length}; save as UTF-8`]);
  });

  it('B3: a character that the end of the file cuts', async () => {
    expect(await printed(Buffer.concat([Buffer.from('id\n'), Buffer.from([0xe2, 0x82])]))).toEqual([
      '<stdin>:1:1: B3 not valid UTF-8 at byte 3; save as UTF-8',
    ]);
  });

  it('takes characters of every length wherever a chunk ends', async () => {
    const prompts = ['é€🦊'.repeat(700), `x${'é€🦊'.repeat(700)}`, `xy${'é€🦊'.repeat(700)}`];
    const rows = prompts.map((prompt, at) => `r${at},svc/image,svc-alpha.2-klein-4b,${prompt},64,64`);
    const { passed, printed: problems } = await checkText(`${HEADER}\n${rows.join('\n')}`);
    expect(problems).toEqual([]);
    expect(passed.map((row) => row.cells.prompt)).toEqual(prompts);
  });

  it('takes a UTF-8 byte order mark', async () => {
    expect(await printed(`\ufeff${HEADER}\n${good('a')}\n`)).toEqual([]);
  });

  it('takes byte order marks that files brought along which were put together', async () => {
    const header = '"id","kind","model","prompt","width","height"';
    for (const start of ['\ufeff\ufeff', '\ufeff\ufeff\ufeff', '\ufeff\n\ufeff', '\n\ufeff']) {
      expect(await printed(`${start}${HEADER}\n${good('a')}\n`), JSON.stringify(start)).toEqual([]);
    }
    expect(await printed(`\ufeff\ufeff${header}\n${good('a')}\n`)).toEqual([]);
  });

  it('B4: a NUL byte', async () => {
    expect(await printed(`${HEADER}\na,svc/im\0ge`)).toEqual([
      '<stdin>:1:1: B4 binary data at byte 42; is this a CSV?',
    ]);
  });

  it('B3, B4: bytes that are no text, after the problems before them', async () => {
    for (const [bad, code] of [
      ['\xe9', 'B3'],
      ['\0', 'B4'],
    ] as const) {
      const rows = Buffer.from(`${HEADER}\n${good('.a')}\nb,${REST.replace('fox', bad)}\n`, 'latin1');
      expect(await printed(rows)).toEqual([
        expect.stringMatching(new RegExp(`^<stdin>:1:1: ${code} `)),
        expect.stringMatching(/^<stdin>:2:1: B12 /),
      ]);
      const lines = Buffer.from(`\n{"id":".a","kind":"svc/none"}\n{"id":"b${bad}"}\n`, 'latin1');
      const { printed: problems } = await checkText(lines, { format: 'jsonl' });
      expect(problems.map((problem) => problem.split(' ', 2).join(' '))).toEqual([
        `<stdin>:1:1: ${code}`,
        '<stdin>:2:1: B12',
        '<stdin>:2:2: B57',
      ]);
    }
  });

  it('B5: an unclosed quote, with the line where it was opened', async () => {
    const text = `${HEADER}\n${good('a')}\nb,svc/image,"two\nlines","never\nclosed\n`;
    expect(await printed(text)).toEqual(['<stdin>:3:4: B5 quote opened at line 4 is never closed']);
  });

  it('B5: JSON objects where CSV was expected', async () => {
    for (const json of ['{"id":"a","kind":"svc/image"}\n{"id":"b"}\n', '[{"id":"a","kind":"svc/image"}]\n']) {
      expect(await printed(json)).toEqual([
        '<stdin>:1:1: B5 this is no CSV; where it is one JSON object a line, use --format jsonl',
      ]);
    }
  });

  it('B5: quotes in the wrong place, after the problems before them', async () => {
    expect(await printed(`${HEADER}\n${good('.a')}\n${good('b')}"\n`)).toEqual([
      expect.stringContaining('2:1: B12'),
      expect.stringContaining('3:6: B5 a quote stands inside an unquoted cell'),
    ]);
    expect(await printed(`${HEADER}\n"a"x,${REST}\n`)).toEqual([expect.stringContaining('2:1: B5 text follows')]);
  });

  it('B6: too many and too few cells', async () => {
    expect(await printed(`${HEADER}\n${good('a')},9\nb,svc/image\n`)).toEqual([
      '<stdin>:2:1: B6 row has 7 cells, header has 6 (unquoted comma?)',
      '<stdin>:3:1: B6 row has 2 cells, header has 6 (a delimiter or a quote missing?)',
    ]);
  });

  it('B7: another separator', async () => {
    const text = `${HEADER}\n${good('a')}\n`;
    expect(await printed(text.replaceAll(',', ';'))).toEqual([
      "<stdin>:1:1: B7 looks ;-separated; use --delimiter ';'",
    ]);
    expect(await printed(text.replaceAll(',', '\t'))).toEqual([
      "<stdin>:1:1: B7 looks TAB-separated; use --delimiter '\\t'",
    ]);
    expect(await printed(text, ';')).toEqual(["<stdin>:1:1: B7 looks ,-separated; use --delimiter ','"]);
    for (const id of ['ID', 'shot']) {
      expect(await printed(`${id}${text.slice(2)}`.replaceAll(',', ';'))).toEqual([
        "<stdin>:1:1: B7 looks ;-separated; use --delimiter ';'",
      ]);
    }
    expect(await printed('"kind";"id"\n"svc/image";"a"\n')).toEqual([
      "<stdin>:1:1: B7 looks ;-separated; use --delimiter ';'",
    ]);
    for (const delimiter of [';', ',']) {
      expect(await printed(`sep=;\r\n${text.replaceAll(',', ';')}`, delimiter)).toEqual([
        "<stdin>:1:1: B7 is Excel's note of its separator, no header; take this line out and use --delimiter ';'",
      ]);
    }
    expect(await printed(text.replaceAll(',', ';'), ';')).toEqual([]);
    expect(await printed(text.replaceAll(',', '\t'), '\t')).toEqual([]);
    expect(await printed(text.replaceAll(',', '\t'), '\\t')).toEqual([]);
    expect(await printed(text.replaceAll(',', '¦'), '¦')).toEqual([]);
    for (const delimiter of ['', ';;', '"', '\n']) {
      expect(await printed(text, delimiter), delimiter).toEqual([
        expect.stringContaining('B7 --delimiter must be one'),
      ]);
    }
  });

  it('B55: a cell over 1 MiB, with its size', async () => {
    const cell = 'x'.repeat(1024 * 1024);
    const row = (prompt: string): string => `${HEADER}\na,svc/image,svc-alpha.2-klein-4b,${prompt},64,64\n`;
    expect(await printed(row(cell))).toEqual([]);
    expect(await printed(row(`${cell}x`))).toEqual(['<stdin>:2:4: B55 prompt: cell is 1048577 bytes, limit 1 MiB']);
    expect(await printed(row('x'.repeat(10 * 1024 * 1024)))).toEqual([
      '<stdin>:2:4: B55 prompt: cell is 10485760 bytes, limit 1 MiB',
    ]);
  });

  it('B55: a record too large for memory ends the reading', async () => {
    expect(await printed(`${HEADER}\na,svc/image,x,${'y'.repeat(33 * 1024 * 1024)},64,64\n`)).toEqual([
      '<stdin>:2:4: B55 cell is over 33554432 bytes, limit 1 MiB',
    ]);
  }, 60_000);
});

describe('the header', () => {
  it('B8: a repeated column', async () => {
    expect(await printed(`id,prompt,kind,model,width,prompt\na,b,svc/image,svc-delta-4,,\n`)).toEqual([
      "<stdin>:1:6: B8 column 'prompt' appears twice (2, 6)",
    ]);
  });

  it.each([
    ['promt', "<stdin>:1:7: B9 unknown column 'promt'; did you mean 'prompt'?"],
    ['Seed', "<stdin>:1:7: B9 unknown column 'Seed'; did you mean 'seed'?"],
    [' seed', "<stdin>:1:7: B9 unknown column ' seed'; did you mean 'seed'?"],
    ['wdith', "<stdin>:1:7: B9 unknown column 'wdith'; did you mean 'width'?"],
    ['true-cfg-scale', "<stdin>:1:7: B9 unknown column 'true-cfg-scale'; did you mean 'true_cfg_scale'?"],
    ['X-Shot', "<stdin>:1:7: B9 unknown column 'X-Shot'; did you mean 'x-shot'?"],
    ['duration_seconds', "<stdin>:1:7: B9 unknown column 'duration_seconds'; did you mean 'duration'?"],
    ['Video URL', "<stdin>:1:7: B9 unknown column 'Video URL'; did you mean 'video'?"],
    ['aspect', "<stdin>:1:7: B9 unknown column 'aspect'; did you mean 'aspect_ratio'?"],
    ['zzzzzzzz', "<stdin>:1:7: B9 unknown column 'zzzzzzzz'; name a column x-… to pass it through to the results"],
    ['', '<stdin>:1:7: B9 a column has no name; name it or take it out'],
    ['response_format', expect.stringContaining('use --response-format')],
    ['n', "<stdin>:1:7: B22 unknown column 'n'; the service supports one output per request: add rows instead"],
    ['url', expect.stringContaining("the source image of svc/edit stands in 'image'")],
    ['image_url', expect.stringContaining("an image stands in 'image', 'first_frame' or 'images'")],
    ['messages', expect.stringContaining("the image of svc/animation stands in 'image'")],
    ['__proto__', expect.stringContaining("B9 unknown column '__proto__'")],
    ['constructor', expect.stringContaining("B9 unknown column 'constructor'")],
    ['x-', expect.stringContaining("B9 unknown column 'x-'")],
  ])('B9, B22, 1-D10: the unknown column %j', async (name, problem) => {
    expect(await printed(`${HEADER},${name}\n${good('a')},\n`)).toEqual([problem]);
  });

  it('a misspelt column that rows need is said once, in the header', async () => {
    const rows = (header: string) => printed(`${header}\n${good('a')}\n${good('b')}\n`);
    expect(await rows(HEADER.replace('prompt', 'promt'))).toEqual([
      expect.stringContaining("B9 unknown column 'promt'; did you mean 'prompt'?"),
    ]);
    expect(await rows(HEADER.replace('kind', 'kid'))).toEqual([
      expect.stringContaining("B9 unknown column 'kid'; did you mean 'kind'?"),
    ]);
    expect(await rows(HEADER.replace('model', 'modle'))).toEqual([
      expect.stringContaining("B9 unknown column 'modle'; did you mean 'model'?"),
    ]);
    // A size that stands alone since the other side is misspelt is the same mistake.
    expect(await rows(HEADER.replace('width', 'widht'))).toEqual([
      expect.stringContaining("B9 unknown column 'widht'; did you mean 'width'?"),
    ]);
    // What else is wrong with a row is said.
    const [, second] = await rows(`${HEADER.replace('prompt', 'promt').replace('kind', 'group')}`);
    expect(second).toContain('B57 row needs a kind');
  });

  it('columns without a name are told as such, each where it stands', async () => {
    expect(await printed(`${HEADER},,\n${good('a')},,\n`)).toEqual([
      expect.stringContaining('B9 a column has no name'),
      expect.stringContaining('B9 a column has no name'),
    ]);
  });

  it('passes x-… columns through untouched', async () => {
    const { passed, passthroughColumns, columns } = await checkText(`x-b,${HEADER},x-a\n=1,${good('a')}, b \n`);
    expect(passed[0]?.passthrough).toEqual({ 'x-b': '=1', 'x-a': ' b ' });
    expect(passthroughColumns).toEqual(['x-b', 'x-a']);
    expect(columns).toEqual(['x-b', ...HEADER.split(','), 'x-a']);
  });

  it('B10: no id column', async () => {
    expect(await printed(`kind,model,prompt,width,height\n${REST}\n`)).toEqual([
      "<stdin>:1:1: B10 the header has no 'id' column",
    ]);
    expect(await printed(`ID,${HEADER.slice(3)}\n${good('a')}\n${good('b')}\n`)).toEqual([
      "<stdin>:1:1: B9 unknown column 'ID'; did you mean 'id'?",
    ]);
  });
});

describe('ids and kinds', () => {
  it('B10: an empty id', async () => {
    expect(await printed(`${HEADER}\n${good('')}\n`)).toEqual(["<stdin>:2:1: B10 row needs a non-empty 'id'"]);
  });

  it('B10: a row of empty cells, as a spreadsheet leaves them behind the last, is told once', async () => {
    const empty = ','.repeat(HEADER.split(',').length - 1);
    expect(await printed(`${HEADER}\n${good('a')}\n${empty}\n`)).toEqual([
      "<stdin>:3:1: B10 row needs a non-empty 'id': it is empty; take it out",
    ]);
  });

  it.each([
    ['a1', 'a1', 3],
    ['A1', 'a1', 3],
    ['é', 'e\u0301', 3],
  ])('B11: %s and %s are one id', async (first, second) => {
    const problems = await printed(`${HEADER}\n${good(first)}\n${good(second)}\n`);
    expect(problems).toContain(`<stdin>:3:1: B11 id '${second}' already used on line 2`);
  });

  it.each([
    'a/b',
    'a..b',
    '.a',
    'a.',
    'a b',
    'a\tb',
    'é',
    '-'.repeat(121),
    'con',
    'NUL',
    'com1',
    'lpt9.txt',
    '..',
    '.',
    'a\u202eb',
  ])('B12: the id %j', async (id) => {
    const [problem, ...more] = await printed(`${HEADER}\n"${id}",${REST}\n`);
    expect(problem).toMatch(/^<stdin>:2:1: B12 id may .*letters, digits, \. _ - \(max 120\)/);
    expect(more).toEqual([]);
  });

  it.each(['a', 'A.b_c-1', '-', '_', 'console', 'com', 'x'.repeat(120), '0'])('takes the id %j', async (id) => {
    expect(await printed(`${HEADER}\n${good(id)}\n`)).toEqual([]);
  });

  it('B57: the kind is required and known, or given for all rows', async () => {
    const text = 'id,kind,model,prompt,width,height\na,,svc-delta-4,p,,\nb,svc/img,svc-delta-4,p,,\n';
    expect(await printed(text)).toEqual([
      '<stdin>:2:2: B57 row needs a kind, or give --kind for all rows',
      expect.stringContaining("<stdin>:3:2: B57 unknown kind 'svc/img'; known: svc/image, svc/edit"),
    ]);
    const {
      printed: problems,
      passed,
      raw,
    } = await checkText('id,model,prompt\na,svc-delta-4,p\n', {
      defaultKind: 'svc/image',
    });
    expect(problems).toEqual([]);
    expect(passed[0]?.kind).toBe('svc/image');
    expect(raw[0]?.kind).toBe('svc/image');
  });
});

describe('places and messages', () => {
  const temporary = temporaryFolder();

  it('names the line where a record starts, past cells of several lines and blank lines', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = [HEADER, '', `.a,svc/image,svc-delta-4,"one${end}two${end}${end}three",,`, '', good('.b')];
      expect(await printed(lines.join(end)), JSON.stringify(end)).toEqual([
        expect.stringContaining('<stdin>:3:1: B12'),
        expect.stringContaining('<stdin>:8:1: B12'),
      ]);
    }
  });

  it('shows the first 100 problems and counts the rest', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `r${at},svc/image,svc-delta-5,a,,`).join('\n');
    const told: string[] = [];
    const summary = await checkText(`${HEADER}\n${rows}\n`, { onProblem: (problem) => told.push(problem.id ?? '') });
    expect(summary.problems).toHaveLength(100);
    expect(summary.problemCount).toBe(150);
    expect(told).toHaveLength(150);
    expect(summary.rows).toBe(150);
    expect(summary.passed).toEqual([]);
  });

  it('cuts values at 80 characters, escapes control characters and never shows a key', async () => {
    const secret = 'sk-svc-0123456789abcdef';
    for (const value of [
      'x'.repeat(500),
      'a\u001b[31m\u202e\u061c\u0007b',
      `k ${secret} k`,
      `${'y'.repeat(75)}${secret}`,
    ]) {
      const text = `${HEADER}\na,"${value}",m,"${value}","${value}",1\n"${value}",svc/image,"${value}",p,"${value}",1\n`;
      const problems = await printed(text);
      expect(problems.length).toBeGreaterThan(2);
      for (const line of problems) {
        expect(line).not.toContain(secret.slice(7));
        expect(line).not.toMatch(/[\p{Cc}\u202e\u061c]/u);
        expect(line).not.toMatch(/x{81}/);
      }
    }
  });

  it('a row may have several problems, each with its own cell', async () => {
    const text = 'id,kind,model,prompt,width,height,steps\n.a,svc/image,svc-alpha.1-schnell,,0,8193,2\n';
    expect((await printed(text)).map((line) => line.split(' ')[0] + (line.split(' ')[1] ?? ''))).toEqual([
      '<stdin>:2:1:B12',
      '<stdin>:2:4:B59',
      '<stdin>:2:5:B17',
      '<stdin>:2:6:B17',
      '<stdin>:2:7:B21',
    ]);
  });

  it('reads a file by its path', async () => {
    const path = join(temporary, 'batch.csv');
    writeFileSync(path, `${HEADER}\n${good('.a')}\n`);
    expect((await checkFile(path)).printed).toEqual([expect.stringContaining(`${path}:2:1: B12 id may not start`)]);
  });
});
