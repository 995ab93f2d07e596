import { describe, expect, it } from 'vitest';
import { batchNameFrom, nameFlaw, partOf, type StemFields, slug, stemFrom } from '../../src/manifest/names.js';
import { type Cells, checkText, csv } from './support.js';

const base = { kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox' };
const rows = (...cells: Cells[]): string => csv(...cells.map((one, at) => ({ id: `r${at}`, ...base, ...one })));
const stems = async (text: string, nameTemplate?: string): Promise<string[]> => {
  const options = { date: '2026-01-31', ...(nameTemplate === undefined ? {} : { nameTemplate }) };
  const { passed, printed } = await checkText(text, options);
  return [...printed, ...passed.map((row) => row.stem)];
};

describe('output names', () => {
  it('are the id by default, also when it looks like a file name', async () => {
    expect(await stems(rows({ id: 'a.png' }, { id: 'B' }))).toEqual(['a.png', 'B']);
  });

  it('come from the template with its fields', async () => {
    const text = rows({ group: 'Tör / 1', seed: '7', 'x-scene': 'S 1', prompt: 'a, b!' }, {});
    expect(
      await stems(text, '{group}/{kind}-{model}-{seed}-{index}-{n}-{date}-{part}-{x-scene}-{prompt}-{id}'),
    ).toEqual([
      'Tor-1/svc-image-svc-delta-4-7-0-1-2026-01-31-0000-S-1-a-b-r0',
      'none/svc-image-svc-delta-4-none-1-2-2026-01-31-0000-none-a-fox-r1',
    ]);
  });

  it('come from the row before the template; a media extension is taken off', async () => {
    const text = rows({ output: 'clips/a.mp4' }, { output: '{id}.PNG' }, { output: 'v1.2' }, {});
    expect(await stems(text, 'all/{id}.jpeg')).toEqual(['clips/a', 'r1', 'v1.2', 'all/r3']);
  });

  it.each([
    ['../{id}', 'template leaves the output folder'],
    ['a/../../b', 'leaves the output folder'],
    ['./a', 'leaves the output folder'],
    ['/tmp/{id}', 'leaves the output folder'],
    ['C:/a', 'leaves the output folder'],
    ['..\\a', 'leaves the output folder'],
    ['a//b', 'has an empty name'],
    ['a/', 'has an empty name'],
    [' ', 'has an empty name'],
    ['{nope}', "unknown field '{nope}' in the output name; known: id, group, kind"],
    ['{}', "unknown field '{}'"],
    ['{id', 'a brace without its partner'],
    ['id}', 'a brace without its partner'],
  ])('B46: refuses %j', async (output, says) => {
    const [problem] = await stems(rows({ output }));
    expect(problem).toMatch(/^<stdin>:2:5: B46 /);
    expect(problem?.replace(/template '.*' leaves/, 'template leaves')).toContain(says);
    const again = await stems(rows({}, {}, {}), output);
    expect(again).toEqual([expect.stringMatching(/^<stdin>:1:1: B46 /)]);
  });

  it('B46: two rows that write the same file, also by case and Unicode form', async () => {
    for (const [first, second] of [
      ['a', 'a'],
      ['a', 'A'],
      ['é', 'e\u0301'],
      ['a b', 'a-b'],
      ['a.mp4', 'a'],
      ['r1', undefined],
    ] as const) {
      expect(await stems(rows({ output: first }, { output: second })), `${first} ${second}`).toContainEqual(
        expect.stringMatching(/^<stdin>:3:\d: B46 lines 2 and 3 both write '/),
      );
    }
  });

  it.each([
    ['a', 'a.png/b', 'a.png'],
    ['a.PNG/b/c', 'A', 'a.png'],
    ['x/a', 'x/a.webp/b', 'x/a.webp'],
  ])('B46: %j and %j need one name for a file and for a folder, in either order', async (first, second, name) => {
    expect(await stems(rows({ output: first }, { output: second }))).toContainEqual(
      `<stdin>:3:5: B46 lines 2 and 3: '${name}' may be the file of one and is a folder of the other; give one of them another output name`,
    );
  });

  it('a folder that no output of the row can take the name of is in nobody’s way', async () => {
    const outputs = ['a', 'a/b', 'a.mp4/b', 'a.txt/b', 'a.2/b'];
    const text = rows(...outputs.map((output) => ({ output })));
    expect(await stems(text)).toEqual(outputs);
  });

  it.each([
    ['a', 'a.png'],
    ['a.png', 'a'],
  ])('B46: with sidecars, %j and %j in this order may write one file', async (...ids) => {
    const json = { model: '', prompt: '', kind: 'vendor-f/interaction', body: '{"model":"m"}' };
    const text = rows(...ids.map((id) => ({ id, ...(id === 'a' ? {} : json) })));
    expect(await stems(text)).toEqual(ids);
    const { printed } = await checkText(text, { hasSidecars: true });
    expect(printed).toEqual([
      expect.stringMatching(
        /^<stdin>:3:\d: B46 lines 2 and 3 may both write 'a\.png\.json', one as a sidecar; give one of them another output name, or leave out --sidecar$/,
      ),
    ]);
  });

  it('values cannot leave the folder or make folders', async () => {
    expect(await stems(rows({ group: '../../etc/passwd' }, { group: '..' }, { group: 'con' }), '{group}/{id}')).toEqual(
      ['etc-passwd/r0', 'none/r1', '_con/r2'],
    );
  });

  it('above 1,000 rows the default is {part}/{id}, for every row', async () => {
    const many = (count: number): string => rows(...Array.from({ length: count }, () => ({})));
    expect((await stems(many(1000))).slice(0, 2)).toEqual(['r0', 'r1']);
    const large = await stems(many(2001));
    expect([large[0], large[999], large[1000], large[2000]]).toEqual([
      '0000/r0',
      '0000/r999',
      '0001/r1000',
      '0002/r2000',
    ]);
    expect((await stems(many(1001), '{id}'))[1000]).toBe('r1000');
  });
});

describe('ids', () => {
  it('5-X13: no id is changed, and no two get one name', async () => {
    const ids = ['-a', 'a-', 'a', '-', '--', '_', 'none', 'a--b', 'a.-', `-${'x'.repeat(118)}-`];
    expect(await stems(rows(...ids.map((id) => ({ id }))))).toEqual(ids);
  });

  it('an API key is none, nor a batch name, and is not repeated', async () => {
    const [problem] = await stems(rows({ id: 'sk-svc-abc' }));
    expect(problem).toContain(
      "B12 id may not be an API key; it may use letters, digits, . _ - (max 120), got '[redacted]'",
    );
    expect(batchNameFrom('a.csv', 'sk-svc-abc')).toEqual({ message: "--name '[redacted]' may not be an API key" });
    expect(await stems(rows({ id: 'task-svc-1' }))).toEqual(['task-svc-1']);
  });
});

describe('slug and part', () => {
  it.each([
    ['abc', 'abc'],
    ['Zürich & Bern', 'Zurich-Bern'],
    ['...a...b...', 'a.b'],
    ['.hidden', 'hidden'],
    ['trailing. ', 'trailing'],
    ['', 'none'],
    ['日本', 'none'],
    ['NUL', '_NUL'],
    ['aux.txt', '_aux.txt'],
    ['a\u202e/b', 'a-b'],
    ['x'.repeat(200), 'x'.repeat(120)],
  ])('%j is %j', (text, expected) => {
    expect(slug(text)).toBe(expected);
  });

  it('parts have four digits or more', () => {
    expect([0, 999, 1000, 9_999_999, 10_000_000].map(partOf)).toEqual(['0000', '0000', '0001', '9999', '10000']);
  });

  it('any column may stand in a template', () => {
    const fields: StemFields = {
      id: 'a',
      kind: 'svc/clip',
      model: '',
      group: undefined,
      index: 4,
      date: '2026-01-31',
      cell: (name) => (name === 'width' ? '1280' : undefined),
      hasColumn: (name) => name === 'width' || name === 'height',
    };
    expect(stemFrom('{width}x{height}', fields)).toEqual({ ok: true, stem: '1280xnone' });
    expect(stemFrom('{depth}', fields).ok).toBe(false);
  });
});

describe('batch names', () => {
  it.each([
    ['demo.csv', 'demo'],
    ['/a/b/spring.v2.jsonl', 'spring.v2'],
    ['in\\windows\\x.tsv', 'x'],
    ['noextension', 'noextension'],
    ['a.data', 'a.data'],
  ])('%s names the batch %s', (path, name) => {
    expect(batchNameFrom(path)).toEqual({ name });
  });

  it('a stem that breaks the rule is refused with the name to use', () => {
    expect(batchNameFrom('/x/my batch (1).csv')).toEqual({
      message: expect.stringMatching(/'my batch \(1\)' cannot name the batch .*; use --name my-batch-1$/),
    });
    for (const path of ['con.csv', '..csv', 'Zürich.csv', '日本.csv', `${'x'.repeat(200)}.csv`, 'a..b.csv']) {
      const result = batchNameFrom(path);
      const suggested = 'message' in result ? /--name (\S+)$/.exec(result.message)?.[1] : undefined;
      expect(suggested, path).toBeDefined();
      expect(nameFlaw(suggested ?? ''), path).toBeUndefined();
    }
  });

  it('--name wins and follows the same rule; standard input needs it', () => {
    expect(batchNameFrom('a b.csv', 'x')).toEqual({ name: 'x' });
    expect(batchNameFrom(undefined, 'x')).toEqual({ name: 'x' });
    expect(batchNameFrom(undefined)).toEqual({ message: expect.stringContaining('--name') });
    expect(batchNameFrom('a.csv', 'a/b')).toEqual({ message: expect.stringContaining("--name 'a/b' may use") });
  });
});
