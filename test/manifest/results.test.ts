import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { RowRecord } from '../../src/domain/outcome.js';
import { spreadsheetSafe } from '../../src/manifest/csv-text.js';
import type { ResultLine } from '../../src/manifest/result-fields.js';
import { writeFailedCsv, writeResultsCsv, writeResultsJsonl } from '../../src/manifest/results.js';
import { type Cells, checkText, csv } from './support.js';

const HEADER =
  'id,kind,model,group,status,reason_code,reason,flags,warnings,attempts,file,files,content_type,bytes,sha256,width,' +
  'height,duration_s,frames,frame_rate,seed,revised_prompt,usage,credits,credits_basis,handle,inputs,reused_from,settled_together,submitted_at,rendered_at,' +
  'finished_at';

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

const image: Cells = { kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox' };

/** Lines as they come from a manifest, with what is known of each. */
async function linesOf(rows: (Cells & { id: string })[], known: Partial<ResultLine>[]): Promise<ResultLine[]> {
  const { passed, raw, printed } = await checkText(csv(...rows));
  expect(printed).toEqual([]);
  return passed.map((row, at) => ({ row, originalCells: raw[at] ?? {}, ...known[at] }));
}

const file = {
  file: 'media/a.png',
  contentType: 'image/png',
  bytes: 1234,
  sha256: 'ab'.repeat(32),
  width: 1024,
  height: 1040,
};
const done: RowRecord = {
  schema: 1,
  id: 'a',
  kind: 'svc/image',
  status: 'done',
  flags: ['possibly_paid_twice', 'overridden'],
  warnings: [],
  attempts: 1,
  files: [file],
  seed: -5,
  revisedPrompt: '=a fox',
  usage: { tokens: 5 },
  creditsNano: 1,
  creditsBasis: 'measured',
  handle: '+handle',
  submittedAtMs: 0,
  renderedAtMs: 1_500,
  finishedAtMs: 1_767_225_600_000,
  rowHash: 'x',
};
const failed: RowRecord = {
  ...done,
  status: 'failed',
  reasonCode: 'render_failed',
  reason: '-bad "prompt",\nsee log',
  files: [],
  flags: [],
  warnings: ['one', 'two'],
  creditsNano: 0,
};

describe('results.csv', () => {
  it('has no date where a damaged record says none', async () => {
    const damaged: RowRecord = { ...failed, status: 'review', reasonCode: 'record_damaged', finishedAtMs: 0 };
    const lines = await linesOf([{ id: 'a', ...image }], [{ record: damaged }]);
    const text = await textOf(writeResultsJsonl(each(lines), { passthroughColumns: [] }));
    expect(JSON.parse(text)).toMatchObject({ status: 'review', finished_at: null });
  });

  it('has the documented header, the x-… columns, and one record per row', async () => {
    const lines = await linesOf(
      [
        { id: 'a', ...image, 'x-scene': '=1+1', group: '@g' },
        { id: 'b', ...image, 'x-scene': 'S2', group: '' },
      ],
      [{ record: done }, { record: { ...failed, id: 'b' } }],
    );
    const text = await textOf(writeResultsCsv(each(lines), { passthroughColumns: ['x-scene'] }));
    expect(text.split('\n')[0]).toBe(`${HEADER},x-scene`);
    const [first, second] = parse(text, { columns: true }) as Record<string, string>[];
    expect(first).toEqual({
      id: 'a',
      kind: 'svc/image',
      model: 'svc-delta-4',
      group: "'@g",
      status: 'done',
      reason_code: '',
      reason: '',
      flags: 'possibly_paid_twice|overridden',
      warnings: '',
      attempts: '1',
      file: 'media/a.png',
      files: '',
      content_type: 'image/png',
      bytes: '1234',
      sha256: 'ab'.repeat(32),
      width: '1024',
      height: '1040',
      duration_s: '',
      frames: '',
      frame_rate: '',
      seed: '-5',
      revised_prompt: "'=a fox",
      usage: '{"tokens":5}',
      credits: '0.000000001',
      credits_basis: 'measured',
      handle: "'+handle",
      inputs: '',
      reused_from: '',
      settled_together: '',
      submitted_at: '1970-01-01T00:00:00.000Z',
      rendered_at: '1970-01-01T00:00:01.500Z',
      finished_at: '2026-01-01T00:00:00.000Z',
      'x-scene': "'=1+1",
    });
    expect(second).toMatchObject({
      status: 'failed',
      reason_code: 'render_failed',
      reason: '\'-bad "prompt",\nsee log',
      warnings: 'one|two',
      credits: '0',
      file: '',
      'x-scene': 'S2',
    });
  });

  it('shows live words, rows that never started, and several outputs', async () => {
    const second = { ...file, file: 'media/a-2.mp4', durationSeconds: 5.04, frames: 121, frameRate: 24 };
    const { creditsNano: _, ...unknown } = done;
    const lines = await linesOf(
      ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, kind: 'vendor-a/text2video', prompt: 'p' })),
      [
        { live: 'checking' },
        { ended: 'cancelled' },
        {},
        { record: { ...done, files: [file, second] } },
        { record: { ...unknown, creditsBasis: 'unknown' } },
      ],
    );
    const records = parse(await textOf(writeResultsCsv(each(lines), { passthroughColumns: [] })), {
      columns: true,
    }) as Record<string, string>[];
    expect(records.map(({ status, attempts, credits, model }) => [status, attempts, credits, model])).toEqual([
      ['checking', '', '', 'vendor-a-v3'],
      ['cancelled', '0', '0', 'vendor-a-v3'],
      ['not_started', '0', '0', 'vendor-a-v3'],
      ['done', '1', '0.000000001', 'vendor-a-v3'],
      ['done', '1', '', 'vendor-a-v3'],
    ]);
    expect(records[3]?.file).toBe('media/a.png');
    expect(JSON.parse(records[3]?.files ?? '')).toEqual([
      {
        file: 'media/a.png',
        content_type: 'image/png',
        bytes: 1234,
        sha256: 'ab'.repeat(32),
        width: 1024,
        height: 1040,
      },
      expect.objectContaining({ file: 'media/a-2.mp4', duration_s: 5.04, frames: 121, frame_rate: 24 }),
    ]);
  });

  it('has its header also without rows', async () => {
    expect(await textOf(writeResultsCsv(each([]), { passthroughColumns: [] }))).toBe(`${HEADER}\n`);
  });
});

describe('results.jsonl', () => {
  it('gives back what JSONL passes through as it was: numbers, booleans and lists, digit by digit', async () => {
    const head = '"kind":"svc/image","model":"svc-delta-4","prompt":"a fox"';
    const manifest = [
      `{"id":"a",${head},"x-n":12345678901234567890,"x-f":1.50,"x-b":true,"x-l":["a",1],"x-t":"5","x-mixed":5}`,
      `{"id":"b",${head},"x-n":null,"x-mixed":"five"}`,
    ];
    const { passed, raw, passthroughColumns, nativeColumns } = await checkText(manifest.join('\n'), {
      format: 'jsonl',
    });
    expect(nativeColumns).toEqual(['x-n', 'x-f', 'x-b', 'x-l']);
    const lines = passed.map((row, at): ResultLine => ({ row, originalCells: raw[at] ?? {}, record: done }));
    const text = await textOf(writeResultsJsonl(each(lines), { passthroughColumns, nativeColumns }));
    const [first = '', second] = text.split('\n');
    expect(first).toContain('"x-n":12345678901234567890,"x-f":1.50,"x-b":true,"x-l":["a",1],"x-t":"5","x-mixed":"5"}');
    expect(second).toContain('"x-n":null,"x-f":null,"x-b":null,"x-l":null,"x-t":null,"x-mixed":"five"}');
  });

  it('has the text of a row that left the manifest, whatever its column holds by now', async () => {
    const lines = await linesOf([{ id: 'a', ...image, 'x-n': 'five' }], [{ record: done }]);
    const columns = { passthroughColumns: ['x-n'], nativeColumns: ['x-n'] };
    expect(JSON.parse(await textOf(writeResultsJsonl(each(lines), columns)))).toMatchObject({ 'x-n': 'five' });
  });

  it('is exact, with native types', async () => {
    const lines = await linesOf([{ id: 'a', ...image, 'x-scene': '=1+1' }], [{ record: done }]);
    const text = await textOf(writeResultsJsonl(each(lines), { passthroughColumns: ['x-scene'] }));
    expect(text.endsWith('\n')).toBe(true);
    expect(text).toContain('"credits":0.000000001,');
    const record = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(record).join()).toBe(`${HEADER},x-scene`);
    expect(record).toMatchObject({
      flags: ['possibly_paid_twice', 'overridden'],
      files: [expect.objectContaining({ file: 'media/a.png' })],
      revised_prompt: '=a fox',
      handle: '+handle',
      usage: { tokens: 5 },
      seed: -5,
      reason: null,
      duration_s: null,
      'x-scene': '=1+1',
    });
  });
});

function bareRow(kind: ResultLine['row']['kind'], id: string): ResultLine['row'] {
  return { index: 0, line: 2, id, kind, stem: id, cells: {}, media: {}, hash: '' };
}

describe('failed.csv', () => {
  it('is a manifest of the failed, cancelled and not started rows alone', async () => {
    const records: Partial<ResultLine>[] = [
      { record: done },
      { record: { ...failed, id: 'b' } },
      { record: { ...done, id: 'c', status: 'cancelled' } },
      {},
      { record: { ...done, id: 'e', status: 'review' } },
      { record: { ...done, id: 'f', status: 'lost_paid' } },
      { live: 'rendering' },
      { ended: 'cancelled' },
    ];
    const rows = 'abcdefgh'.split('').map((id) => ({ id, ...image, prompt: `=a "fox",\r\n\t${id}`, 'x-n': '@1' }));
    const lines = await linesOf(rows, records);
    const columns = ['id', 'kind', 'model', 'prompt', 'x-n'];
    const text = await textOf(writeFailedCsv(each(lines), { columns, manifestFolder: '/m' }));
    const again = await checkText(text);
    expect(again.printed).toEqual([]);
    expect(again.passed.map((row) => row.id)).toEqual(['b', 'c', 'd', 'h']);
    const hashes = new Map(lines.map(({ row }) => [row.id, row.hash]));
    for (const row of again.passed) {
      expect(row.hash).toBe(hashes.get(row.id));
      expect(row.passthrough).toEqual({ 'x-n': '@1' });
    }
  });

  it('says how long a film is that fed motion control, also where the manifest had no such column', async () => {
    const kind = 'vendor-a/motion-control';
    const given = { video: '@film', character_orientation: 'video' };
    const fedCells = { character_orientation: 'video', input_video_seconds: 7 };
    const lines: ResultLine[] = [
      { row: bareRow(kind, 'a'), originalCells: given, feeds: { film: '/out/film.mp4' }, fedCells },
      {
        row: bareRow(kind, 'b'),
        originalCells: { ...given, input_video_seconds: '5' },
        feeds: { film: '/out/film.mp4' },
        fedCells,
      },
      { row: bareRow(kind, 'c'), originalCells: given, feeds: { film: null } },
    ];
    const columns = ['video', 'character_orientation'];
    const text = await textOf(writeFailedCsv(each(lines), { columns, manifestFolder: '/m' }));
    expect(parse(text)).toEqual([
      ['id', 'kind', 'video', 'character_orientation', 'input_video_seconds'],
      ['a', kind, '/out/film.mp4', 'video', '7'],
      ['b', kind, '/out/film.mp4', 'video', '5'],
      ['c', kind, '@film', 'video', ''],
    ]);
  });

  it('has the kind that came from outside, and absolute media paths', async () => {
    const lines: ResultLine[] = [
      { row: bareRow('svc/edit', 'a'), originalCells: { id: 'a', image: 'in/a b.png', prompt: 'in/a.png' } },
      {
        row: bareRow('vendor-a/omni-video', 'b'),
        originalCells: { images: 'x.png | https://a.example/y.png|/abs/z.png' },
      },
      { row: bareRow('vendor-a/omni-video', 'c'), originalCells: { images: '["a|b.png","../c.png"]' } },
      { row: bareRow('vendor-e/video', 'd'), originalCells: { first_frame: 'data:image/png;base64,AAAA' } },
    ];
    const columns = ['id', 'image', 'images', 'first_frame', 'prompt'];
    const text = await textOf(writeFailedCsv(each(lines), { columns, manifestFolder: '/m/n' }));
    expect(parse(text)).toEqual([
      ['id', 'kind', 'image', 'images', 'first_frame', 'prompt'],
      ['a', 'svc/edit', '/m/n/in/a b.png', '', '', 'in/a.png'],
      ['b', 'vendor-a/omni-video', '', '/m/n/x.png|https://a.example/y.png|/abs/z.png', '', ''],
      ['c', 'vendor-a/omni-video', '', '["/m/n/a|b.png","/m/c.png"]', '', ''],
      ['d', 'vendor-e/video', '', '', 'data:image/png;base64,AAAA', ''],
    ]);
  });
});

describe('cells that a spreadsheet would run', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    ' =1',
    '\u00a0=1',
    '\u3000=1',
    '\ufeff=1',
    '\u200b=1',
    '\n=1',
    ' \t=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    ' ＝1',
  ])('%j is escaped', (text) => {
    expect(spreadsheetSafe(text)).toBe(`'${text}`);
  });

  it.each(['', 'a', 'a=1', "'=1", '1-2', '"=1"', 'a\n=1', ' a', '{"a":1}', '—x'])('%j is left alone', (text) => {
    expect(spreadsheetSafe(text)).toBe(text);
  });
});
