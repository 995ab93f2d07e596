// F46a: the lost file of a row that has a copy of another row's output is copied again from that, and nothing is paid.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { copyAgain } from '../../src/cli/batch/copy-again.js';
import { findLost, type LostFile, lostFileLines, openOutputCheck } from '../../src/cli/batch/lost-files.js';
import { openCopySources } from '../../src/cli/reuse/source-of-copy.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { OutputFile, RowRecord } from '../../src/domain/outcome.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { sha256 } from '../download/broken-server.js';
import { rowRecord } from '../support/row-record.js';
import { smallPng } from '../support/small-png.js';
import { rowOf, type SeededHome, seededHome, T0 } from './seeded-home.js';

const hint = (words: string) => `callsheet ${words}`;
const PNG = Buffer.from(smallPng());
const fileOf = (id: string): OutputFile => ({
  ...{ file: `media/${id}.png`, contentType: 'image/png', bytes: PNG.length, sha256: sha256(PNG) },
});
const DEAD: [AttemptState, Extract<AttemptState, { state: 'rendered' }>] = [
  { state: 'created', atMs: T0, handle: 'op' },
  { state: 'rendered', atMs: T0, outputs: [{ url: 'http://127.0.0.1:9/a.png' }], facts: {} },
];
const PAID = { attempts: 1, creditsNano: 5, finishedAtMs: Date.now() };
const COPIED = { attempts: 0, creditsNano: 0, finishedAtMs: Date.now() };

let home: SeededHome;
let notes: string[];
/** The render that is paid lies in batch `a`, `one` of `b` took it over, and `twin` shares that. */
beforeEach(async () => {
  home = await seededHome('b', [
    { id: 'one', record: { ...COPIED, files: [fileOf('one')], reusedFrom: 'a/src' } },
    {
      id: 'twin',
      row: { shares: 0 },
      record: { ...COPIED, files: [fileOf('twin')], warnings: ['shares the render of row one'] },
    },
    { id: 'own', states: DEAD, intent: { rowHash: 'hash-own' }, record: { ...PAID, files: [fileOf('own')] } },
  ]);
  notes = [];
  await home.home.bindOut('a', join(home.folder, 'out'), T0);
  await home.records.writeRecord('a', rowRecord({ id: 'src', ...PAID, files: [fileOf('src')] }));
  for (const [batch, id] of [
    ['a', 'src'],
    ['b', 'one'],
    ['b', 'twin'],
    ['b', 'own'],
  ] as const)
    put(pathOf(batch, id));
});

const pathOf = (batch: string, id: string) => join(home.folder, 'out', batch, 'media', `${id}.png`);
const mediaOf = () => readdirSync(join(home.folder, 'out', 'b', 'media')).sort();

function put(path: string, bytes = PNG): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

async function recordOf(id: string): Promise<RowRecord> {
  const record = await home.records.readRecord('b', id);
  if (record === undefined) throw new Error(`no record of ${id}`);
  return record;
}

/** As a run of `b` does, with its sidecars. */
async function again(nowLost?: LostFile[]): Promise<LostFile[]> {
  const out = join(home.folder, 'out');
  const config = { s3: DEFAULT_S3, home: join(home.folder, 'home'), out, timeScale: 1, names: { sidecar: true } };
  const access = { ...home, config } as never;
  const sources = openCopySources(access);
  const session = { config, terminal: { note: (line: string) => notes.push(line) } };
  const lost = nowLost ?? [];
  if (nowLost === undefined) {
    for (const [index, id] of ['one', 'twin', 'own'].entries()) {
      const outputs = openOutputCheck(config as never, out, 'b');
      const found = await findLost(
        access,
        'b',
        { row: rowOf(id, index), record: await recordOf(id) },
        { outputs, sources },
      );
      if (found !== undefined) lost.push(found);
    }
  }
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  return copyAgain({ session, access, batch: 'b', generation } as never, out, lost);
}

describe('F46a: a lost copy of another row is copied again', () => {
  test('from the batch that it was taken over from, with what stands beside it', async () => {
    const before = await recordOf('one');
    rmSync(pathOf('b', 'one'));
    expect(await again()).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/media\/one\.png \(gone\): copied again from the source, at no cost$/),
    ]);
    expect(readFileSync(pathOf('b', 'one'))).toEqual(PNG);
    expect(JSON.parse(readFileSync(`${pathOf('b', 'one')}.json`, 'utf8'))).toMatchObject({ reused_from: 'a/src' });
    expect(await recordOf('one')).toEqual(before);
    expect(readFileSync(join(home.folder, 'out', 'b', 'results.csv'), 'utf8')).toContain('media/one.png');
    expect(await again()).toEqual([]);
    expect(notes).toHaveLength(1);
  });

  test('from the row whose render it shares, or from where that has it', async () => {
    rmSync(pathOf('b', 'twin'));
    rmSync(pathOf('a', 'src'));
    expect(await again()).toEqual([]);
    put(pathOf('a', 'src'));
    rmSync(pathOf('b', 'one'));
    rmSync(pathOf('b', 'twin'));
    expect(await again()).toEqual([]);
    expect(['one', 'twin'].map((id) => existsSync(pathOf('b', id)))).toEqual([true, true]);
  });

  test('beside a file that was changed, which stays as it is', async () => {
    put(pathOf('b', 'one'), Buffer.from('retouched'));
    expect(await again()).toEqual([]);
    expect((await recordOf('one')).files).toEqual([{ ...fileOf('one'), file: 'media/one.v2.png' }]);
    expect(readFileSync(pathOf('b', 'one'), 'utf8')).toBe('retouched');
    expect(mediaOf()).toEqual(['one.png', 'one.v2.png', 'one.v2.png.json', 'own.png', 'twin.png']);
  });

  test('not where the source is another file by its own record, or becomes one meanwhile', async () => {
    rmSync(pathOf('b', 'one'));
    const lost = await findNothingLeft(() => put(pathOf('a', 'src'), Buffer.from('retouched')));
    expect(lostFileLines(lost, '/out/b', hint)[0]).toContain('nothing gives it any more');
    expect(existsSync(pathOf('b', 'one'))).toBe(false);
  });

  test('never for a row that was paid: its own render is not replaced', async () => {
    const before = await recordOf('own');
    rmSync(pathOf('b', 'own'));
    expect(await again()).toMatchObject([{ file: 'media/own.png', mayComeAgain: false }]);
    expect(await recordOf('own')).toEqual(before);
  });

  test('not for a row that is rendered again since it was looked at', async () => {
    rmSync(pathOf('b', 'one'));
    const record = await recordOf('one');
    const lost: LostFile = {
      ...{ record, file: 'media/one.png', flaw: 'gone', mayComeAgain: false },
      copy: { row: rowOf('one', 0), when: 'now' },
    };
    const ordered = { ...record, rerunAtMs: T0 };
    await home.records.writeRecord('b', ordered);
    expect(await again([lost])).toEqual([]);
    expect(await recordOf('one')).toEqual(ordered);
  });

  test('once the row that it shares the render of was fetched again', async () => {
    const states = [DEAD[0], { ...DEAD[1], atMs: Date.now() }];
    await home.ledger.claim(
      { batch: 'b', id: 'one', n: 1 },
      {
        ...{ state: 'intent', atMs: T0, nonce: 'a'.repeat(64), rowHash: 'hash-one', kind: 'vendor-f/video' },
        ...{
          expected: { lo: 0, hi: 1 },
          generation: (await home.rows.currentGeneration('b')) ?? '',
          part: 0,
          index: 0,
        },
      },
    );
    for (const state of states) await home.ledger.append({ batch: 'b', id: 'one', n: 1 }, state);
    await home.records.writeRecord(
      'b',
      rowRecord({ id: 'one', kind: 'vendor-f/video', ...PAID, files: [fileOf('one')], rowHash: 'hash-one' }),
    );
    rmSync(pathOf('b', 'one'));
    rmSync(pathOf('b', 'twin'));
    const lost = await again();
    expect(lost).toMatchObject([{ mayComeAgain: true }, { copy: { when: 'later' } }]);
    expect(lostFileLines(lost, '/out/b', hint)[1]).toContain(
      'media/twin.png (gone): copied again at no cost once the source',
    );
    put(pathOf('b', 'one'));
    expect(await again(lost.slice(1))).toEqual([]);
    expect(readFileSync(pathOf('b', 'twin'))).toEqual(PNG);
  });
});

/** What is left of `one` where its source changes after it was found whole. */
async function findNothingLeft(change: () => void): Promise<LostFile[]> {
  const record = await recordOf('one');
  change();
  return again([
    { record, file: 'media/one.png', flaw: 'gone', mayComeAgain: false, copy: { row: rowOf('one', 0), when: 'now' } },
  ]);
}
