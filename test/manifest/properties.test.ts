import { fc, test } from '@fast-check/vitest';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { describe, expect } from 'vitest';
import { KINDS } from '../../src/kinds/facts.js';
import { sampleManifest } from '../../src/manifest/describe-kind.js';
import { createLineIndex } from '../../src/manifest/line-index.js';
import { readDataUri } from '../../src/manifest/media/local-media.js';
import { probeMedia } from '../../src/manifest/media/probe-media.js';
import { slug } from '../../src/manifest/names.js';
import { formatProblem, showText } from '../../src/manifest/problem.js';
import { readCsv } from '../../src/manifest/read-csv.js';
import { jsonFields } from '../../src/manifest/read-jsonl.js';
import { clip, heic, jpeg, mp3, png, wav, webp } from './media-samples.js';
import { checkText, csv } from './support.js';

const cellText = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ';', ' ', 'é', '🦊', "'") }),
);

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function recordsOf(text: string, size: number) {
  const records: { line: number; cells: string[] }[] = [];
  for await (const record of readCsv(inPieces(text, size), ',')) records.push(record);
  return records;
}

describe('CSV', () => {
  test.prop([
    fc.array(fc.array(cellText, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.integer({ min: 1, max: 40 }),
  ])('any cells come back, with the line where each record starts', async (rows, end, size) => {
    const clean = rows.map((row) =>
      row.map((cell) => cell.replaceAll('\u0000', '').replace(/\ufeff|\p{Surrogate}/gu, '')),
    );
    const texts = clean.map((row) => stringify([row], { record_delimiter: end, quoted: true }));
    const read = await recordsOf(texts.join(''), size);
    expect(read.map(({ cells }) => cells)).toEqual(clean);
    let line = 1;
    for (const [at, text] of texts.entries()) {
      expect(read[at]?.line).toBe(line);
      line += text.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 40 })])(
    'any text is read or refused with a place, never thrown',
    async (text, size) => {
      const summary = await checkText(Buffer.from(`id,kind,prompt\n${text}`), { problemLimit: 5 });
      for (const problem of summary.problems) {
        expect(problem.line).toBeGreaterThan(0);
        expect(problem.column).toBeGreaterThan(0);
        expect(formatProblem(problem)).toMatch(/^<stdin>:\d+:\d+: B\d+ ./u);
      }
      expect(size).toBeGreaterThan(0);
    },
  );

  test.prop([fc.uint8Array({ maxLength: 200 }), fc.constantFrom('csv', 'jsonl')])(
    'any bytes are read or refused, never thrown',
    async (bytes, format) => {
      const summary = await checkText(bytes, { format: format as 'csv' | 'jsonl' });
      expect(summary.problemCount > 0 || summary.rows > 0).toBe(true);
    },
  );
});

describe('rows', () => {
  const columns = [
    ...new Set(KINDS.flatMap((kind) => (parse(sampleManifest(kind)) as string[][])[0] ?? []).concat('extra', 'output')),
  ].filter((name) => name !== 'id' && name !== 'kind');
  const value = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('1024', '5', '0', '-1', 'true', 'on', '[]', '{}', '[{"prompt":"a","duration":3}]', '1080P', '16:9'),
    fc.constantFrom('https://media.example/a.png', 'data:image/png;base64,AAAA', 'a.png', 'file:///x', 's3://b/k'),
    fc.json({ maxDepth: 2 }),
  );

  test.prop([fc.constantFrom(...KINDS), fc.dictionary(fc.constantFrom(...columns), value, { maxKeys: 12 })], {
    numRuns: 1500,
  })(
    'any cells of any kind are taken or refused, never thrown; what is taken keeps its cells',
    async (kind, cells) => {
      const text = csv({ id: 'a', kind, ...cells });
      const { passed, problemCount } = await checkText(text);
      expect(passed.length).toBe(problemCount === 0 ? 1 : 0);
      const again = await checkText(text);
      expect(again.passed).toEqual(passed);
    },
    60_000,
  );

  test.prop([fc.dictionary(fc.string(), fc.jsonValue())])('a JSON line gives its fields in order', (object) => {
    const text = JSON.stringify(object, null, 1).replaceAll('\n', ' ');
    const fields = jsonFields(text);
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(object).sort());
    for (const { name, start, end } of fields) {
      const value: unknown = Object.getOwnPropertyDescriptor(object, name)?.value;
      expect(text.slice(start, end).replace(/\s/g, '')).toBe(JSON.stringify(value).replace(/\s/g, ''));
    }
  });

  test('a JSON line gives its fields however deep a value is nested', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const fields = jsonFields(`{"a": ${deep}, "a": 1e3}`);
    expect(fields).toEqual([
      { name: 'a', start: 6, end: 200_006 },
      { name: 'a', start: 200_013, end: 200_016 },
    ]);
  });
});

describe('small parts', () => {
  test.prop([fc.string({ unit: 'binary', maxLength: 300 })])('a shown text is short, printable and keyless', (text) => {
    const shown = showText(`sk-svc-abc${text}`);
    expect(Array.from(shown).length).toBeLessThanOrEqual(80);
    expect(shown).not.toMatch(/\p{Cc}|sk-svc-/u);
  });

  test.prop([fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('.', '/', ' ', 'a', 'ß') }))])(
    'a slug is a safe file name, and bending it again changes nothing',
    (text) => {
      const name = slug(text);
      expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}$/);
      expect(name).not.toMatch(/\.\.|\.$/);
      expect(slug(name)).toBe(name);
    },
  );

  test.prop([fc.array(fc.string({ maxLength: 6 }), { maxLength: 300 })])('the line index is a map', (keys) => {
    const index = createLineIndex();
    const lines = new Map<string, number>();
    for (const [at, key] of keys.entries()) {
      expect(index.add(key, at + 1)).toBe(lines.get(key));
      if (!lines.has(key)) lines.set(key, at + 1);
    }
  });

  test.prop([fc.uint8Array({ minLength: 1, maxLength: 100 })])('a data: URI gives its bytes', (bytes) => {
    const uri = readDataUri('image', `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`);
    expect(uri.ok && Buffer.from(bytes).equals(uri.bytes)).toBe(true);
  });
});

describe('media', () => {
  const originals = Promise.all([png(64, 64), jpeg(64, 64), webp(64, 64), heic(64, 64), wav(0.1), mp3(0.2), clip(1)]);
  const change = fc.record({ at: fc.nat(2_000), byte: fc.nat(255) });

  test.prop([fc.nat(6), fc.array(change, { maxLength: 8 }), fc.nat(2_000)], { numRuns: 400 })(
    'damaged files are probed without an error',
    async (which, changes, cut) => {
      const original = (await originals)[which] ?? Buffer.alloc(0);
      const bytes = Buffer.from(original.subarray(0, Math.max(1, cut)));
      for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
      const facts = await probeMedia(bytes);
      expect(facts.bytes).toBe(bytes.length);
    },
  );
});
