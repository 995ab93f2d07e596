import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../src/kinds/facts.js';
import { PROBLEM_CODES } from '../../src/kinds/index.js';
import { describeKind, sampleManifest } from '../../src/manifest/describe-kind.js';
import { ERRORS_HEADER, errorLine } from '../../src/manifest/problem.js';
import { type Cells, checkFile, checkText, csv } from './support.js';

const image = { kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox' };
const hashOf = async (cells: Cells): Promise<string> => {
  const { passed, printed } = await checkText(csv({ id: 'a', ...cells }));
  return passed[0]?.hash ?? printed.join();
};

describe('normal form', () => {
  it('has typed cells, media apart, and nothing that is empty', async () => {
    const { passed, raw, byKind, groups } = await checkText(
      csv({
        id: 'a',
        group: 'g',
        kind: 'vendor-g/video',
        model: 'vendor-g-1.1-r2v',
        prompt: 'x',
        reference_images: 'https://a.example/1.png|https://a.example/2.png',
        watermark: 'false',
        duration: '3',
        resolution: '',
        extra: '{"parameters":{"mood":1}}',
        'x-note': '1e3',
      }),
    );
    expect(passed).toEqual([
      {
        index: 0,
        line: 2,
        id: 'a',
        kind: 'vendor-g/video',
        group: 'g',
        stem: 'a',
        cells: { model: 'vendor-g-1.1-r2v', prompt: 'x', watermark: false, duration: 3 },
        media: {
          reference_images: [
            { source: 'url', url: 'https://a.example/1.png' },
            { source: 'url', url: 'https://a.example/2.png' },
          ],
        },
        extra: { parameters: { mood: 1 } },
        passthrough: { 'x-note': '1e3' },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(raw[0]).toMatchObject({ id: 'a', duration: '3', extra: '{"parameters":{"mood":1}}' });
    expect(raw[0]).not.toHaveProperty('resolution');
    expect(byKind).toEqual({ 'vendor-g/video': 1 });
    expect(groups).toEqual({ g: 1 });
  });

  it('hashes what is sent and nothing else', async () => {
    const hash = await hashOf(image);
    expect(await hashOf({ ...image, id: 'b', group: 'g', output: 'o', 'x-a': 'b' })).toBe(hash);
    expect(await hashOf({ prompt: 'a fox', model: 'svc-delta-4', kind: 'svc/image', extra: '{}' })).toBe(hash);
    for (const other of [{ prompt: 'a fox ' }, { seed: '1' }, { steps: '48' }, { extra: '{"a":1}' }]) {
      expect(await hashOf({ ...image, ...other }), JSON.stringify(other)).not.toBe(hash);
    }
    expect(await hashOf({ ...image, extra: '{"a":1,"b":[2]}' })).toBe(
      await hashOf({ ...image, extra: '{"b":[2],"a":1}' }),
    );
  });
});

const edit = {
  kind: 'svc/edit',
  model: 'svc-beta-image-edit-2511',
  prompt: 'x',
  width: '64',
  height: '64',
  image: 'https://a.example/a.png',
};

it('2-D11: a list in a column that takes one URL is refused before anything is paid', async () => {
  const list = 'https://a.example/a.png|https://a.example/b.png';
  expect((await checkText(csv({ id: 'a', ...edit, image: list }))).printed).toEqual([
    `<stdin>:2:7: B44 image must be one URL, got a list: '${list}'`,
  ]);
  expect((await checkText(csv({ id: 'a', ...edit, image: 'https://a.example/a.png?size=1|2' }))).printed).toEqual([]);
});

it('1-D10: TRUE and FALSE, as every spreadsheet saves them, are true and false; JSONL has its own', async () => {
  const clip = { kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'x' };
  expect(await hashOf({ ...clip, audio: 'TRUE' })).toBe(await hashOf({ ...clip, audio: 'true' }));
  expect(await hashOf({ ...clip, audio: 'FALSE' })).toBe(await hashOf({ ...clip, audio: 'false' }));
  const { printed } = await checkText(JSON.stringify({ id: 'a', ...clip, audio: 'TRUE' }), { format: 'jsonl' });
  expect(printed).toEqual(["<stdin>:1:5: B58 audio must be true or false, got 'TRUE' as a string"]);
});

it.each([
  ['{"a":1,"a":2}', false],
  ['{"a":{"b":1,"b":2}}', false],
  ['{"a":[{"b":1},{"c":1,"c":1}]}', false],
  ['{"a":"\\"b\\":","b" : ["a","a"],"c":{"a":{"a":{}}}}', true],
])('5-X15: a name that stands twice would lose a value: %s', async (text, isGood) => {
  const problem = (name: string, place: string) => [`<stdin>:2:${place}: B60 ${name} has a name twice in one object`];
  const body = await checkText(csv({ id: 'a', kind: 'vendor-f/interaction', body: text }));
  expect(body.printed).toEqual(isGood ? [] : problem('body', '3'));
  const extra = await checkText(csv({ id: 'a', ...image, extra: text }));
  expect(extra.printed).toEqual(isGood ? [] : problem('extra', String(Object.keys(image).length + 2)));
  const line = async (row: object, name: string) => {
    const given = JSON.stringify(row).replace(/}$/, `, "${name}": ${text} }`);
    return (await checkText(given, { format: 'jsonl' })).printed.map((one) => one.replace(':1:', ':2:'));
  };
  expect(await line({ id: 'a', kind: 'vendor-f/interaction' }, 'body')).toEqual(isGood ? [] : problem('body', '3'));
  expect(await line({ id: 'a', ...image }, 'extra')).toEqual(isGood ? [] : problem('extra', '5'));
});

it('5-X15: a shot of JSONL with a name twice is refused as one of CSV', async () => {
  const shots = '[{"prompt":"first","prompt":"second","duration":3,"duration":9}]';
  const row = { id: 'a', kind: 'vendor-a/text2video', shot_type: 'customize' };
  const says = expect.stringMatching(/:4: B60 shots has a name twice in one object$/);
  expect((await checkText(csv({ ...row, shots }))).printed).toEqual([says]);
  const line = JSON.stringify(row).replace(/}$/, `,"shots":${shots}}`);
  expect((await checkText(line, { format: 'jsonl' })).printed).toEqual([says]);
});

describe('B61: extra names only what the documents do not show', () => {
  const moved = { kind: 'svc/animation', model: 'svc-epsilon-2.5-video', image: 'https://a.example/a.png' };
  const photo = { kind: 'vendor-b/avatar', image: 'https://a.example/a.png' };
  const cases: [Cells, string, boolean][] = [
    [image, '{"mood":"calm"}', true],
    [image, '{"n":1}', false],
    [image, '{"response_format":"url"}', false],
    [{ kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'x' }, '{"extra":{"mood":1}}', true],
    [{ kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'x' }, '{"extra":{"audio":true}}', false],
    [{ kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'x' }, '{"num_frames":5}', false],
    ...['{"audio":true}', '{"image_url":"https://a.example/a.png"}', '{"messages":[]}'].map(
      (extra): [Cells, string, boolean] => [
        { kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: '1-D3' },
        extra,
        false,
      ],
    ),
    ...['{"steps":12}', '{"true_cfg_scale":5}', '{"image":"x"}'].map((extra): [Cells, string, boolean] => [
      { ...edit, prompt: '1-D3' },
      extra,
      false,
    ]),
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: '1-D3' }, '{"resolution":"480P"}', false],
    [{ ...moved, prompt: 'x' }, '{"image_url":"https://a.example/b.png"}', false],
    [{ ...moved, prompt: 'x' }, '{"messages":[]}', false],
    [{ kind: 'vendor-a/text2video', prompt: 'x' }, '{"cfg":0.5}', true],
    [{ kind: 'vendor-a/text2video', prompt: 'x' }, '{"callback_url":"https://a.example"}', false],
    [{ kind: 'vendor-a/text2video', prompt: 'x' }, '{"image_list":[]}', false],
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'x' }, '{"parameters":{"seed":1}}', true],
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'x' }, '{"input":{"negative":"x"}}', true],
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'x' }, '{"parameters":{"resolution":"x"}}', false],
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'x' }, '{"parameters":5}', false],
    [{ kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'x' }, '{"input":{"media":[]}}', false],
    [{ kind: 'vendor-d/video', prompt: 'x' }, '{"seconds":10}', true],
    [{ kind: 'vendor-d/video', prompt: 'x' }, '{"content":[]}', false],
    [{ kind: 'vendor-e/video', prompt: 'x', duration: '4', ratio: '1:1' }, '{"seed":1}', true],
    [{ kind: 'vendor-e/video', prompt: 'x', duration: '4', ratio: '1:1' }, '{"ratio":"16:9"}', false],
    [
      { kind: 'vendor-f/video', model: 'vendor-f-3.1-generate-preview', prompt: 'x' },
      '{"parameters":{"seed":1}}',
      true,
    ],
    [{ kind: 'vendor-f/video', model: 'vendor-f-3.1-generate-preview', prompt: 'x' }, '{"instances":[]}', false],
    [{ kind: 'vendor-b/avatar', avatar_id: 'a', script: 's', voice_id: 'v' }, '{"engine":{"speed":2}}', true],
    [{ kind: 'vendor-b/avatar', avatar_id: 'a', script: 's', voice_id: 'v' }, '{"engine":{"type":"x"}}', false],
    [{ ...photo, script: 's', voice_id: 'v' }, '{"image":{"crop":"face"}}', true],
    [{ ...photo, script: 's', voice_id: 'v' }, '{"image":{"url":"https://a.example/b.png"}}', false],
    [{ ...photo, script: 's', voice_id: 'v' }, '{"image":5}', false],
  ];
  it.each(cases)('%j with %s: %s', async (cells, extra, isGood) => {
    const { printed } = await checkText(csv({ id: 'a', ...cells, extra }));
    if (isGood) expect(printed).toEqual([]);
    else
      expect(printed).toEqual([expect.stringMatching(/B61 extra may not name '[a-z_.]+', which the documents settle/)]);
  });

  it.each(['[]', '5', '{"a":', 'null', '{"__proto__":{"polluted":1}}'])('B60: refuses %s', async (extra) => {
    const { printed } = await checkText(csv({ id: 'a', ...image, extra }));
    expect(printed).toEqual([expect.stringMatching(/B60 extra /)]);
  });
});

describe.each(KINDS)('%s', (kind) => {
  it('has a valid sample manifest', async () => {
    const { printed, passed, warnings } = await checkText(sampleManifest(kind));
    expect([printed, warnings]).toEqual([[], []]);
    expect(passed.length).toBeGreaterThan(0);
    expect(new Set(passed.map((row) => row.kind))).toEqual(new Set([kind]));
  });

  it('is described by its own tables', () => {
    const { columns, endpoint, source, rules, common } = describeKind(kind);
    expect(endpoint).toMatch(/^POST \/v1\//);
    expect(source).toMatch(/^service document [12], /);
    expect(common.map(({ name }) => name)).toContain('id');
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
    for (const sentence of [...rules, ...columns.flatMap(({ rule, help }) => [rule, help])]) {
      expect(sentence.length).toBeGreaterThan(3);
    }
  });
});

describe('what is told', () => {
  it('a description names types, ranges, choices, defaults and media limits', () => {
    const rules = new Map(describeKind('svc/edit').columns.map(({ name, rule }) => [name, rule]));
    expect(rules.get('width')).toBe('plain integer, 1-8192');
    expect(rules.get('tier')).toBe('radical_speed or radical_value; default radical_speed');
    expect(rules.get('image')).toBe(
      'URL, file or data: URI; URLs public, http or https; PNG, JPEG or WEBP; at most 10 MB; ' +
        'each side at least 64 px; aspect ratio at most 8:1 either way; @id: the image that row id of this manifest renders',
    );
  });

  it('an errors file is CSV that no spreadsheet runs', async () => {
    const { problems } = await checkText(csv({ id: '=1+1', ...image, prompt: '', seed: '"x",\n' }));
    expect(ERRORS_HEADER).toBe('file,line,column,code,id,field,message\n');
    expect(problems.map(errorLine)).toEqual([
      expect.stringMatching(
        /^<stdin>,2,1,B12,'=1\+1,id,"id may use letters, digits, \. _ - \(max 120\), got '=1\+1'"\n$/,
      ),
      expect.stringMatching(/^<stdin>,2,4,B59,'=1\+1,prompt,prompt is required\n$/),
      expect.stringMatching(/^<stdin>,2,5,B16,'=1\+1,seed,"seed must be a plain integer, got '""x"",\\n'"\n$/),
    ]);
  });

  it('every code has a meaning', () => {
    for (const [code, meaning] of Object.entries(PROBLEM_CODES)) {
      expect(code).toMatch(/^B[1-9][0-9]?$/);
      expect(meaning).toMatch(/^[A-Za-z].*\.$/);
    }
  });
});

describe('the examples', () => {
  it.each(['three-rows.csv', 'every-kind.csv'])('%s is valid', async (name) => {
    const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    const { printed, warnings } = await checkFile(path);
    // Of a driver behind a URL nobody here knows how long it is.
    const others = warnings.filter(({ field }) => field !== 'input_video_seconds');
    expect([printed, others]).toEqual([[], []]);
  });
});
