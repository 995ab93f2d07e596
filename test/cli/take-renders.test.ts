// `run --reuse` of a batch that runs: while an earlier render is copied the batch may submit the row, pay, and store its
// output. That output keeps its record, and nothing is left in its way.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFound } from '../../src/cli/reuse/found-renders.js';
import { takeRenders } from '../../src/cli/reuse/take-renders.js';
import type { OutputFile, RowRecord } from '../../src/domain/outcome.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { smallPng } from '../support/small-png.js';
import { CREDIT, type SeededHome, seededHome, T0 } from './seeded-home.js';

const png = smallPng();
const sha256 = createHash('sha256').update(png).digest('hex');
const file: OutputFile = { file: 'media/one.png', contentType: 'image/png', bytes: png.length, sha256 };
const paidFor = { kind: 'vendor-f/video', attempts: 1, creditsNano: CREDIT, creditsBasis: 'price-book' } as const;

type Records = SeededHome['records'];

/** The batch `b` takes the render of `a` over, with sidecars, while `engine` does its part of the work. */
async function takeOver(engine: (home: SeededHome) => Partial<Records>): Promise<SeededHome> {
  const home = await seededHome('b', [{ id: 'one' }]);
  const out = join(home.folder, 'out');
  mkdirSync(join(out, 'a', 'media'), { recursive: true });
  writeFileSync(join(out, 'a', 'media', 'one.png'), png);
  await home.home.bindOut('a', out, T0);
  const options = { schema: 1, out, onExists: 'fail', responseFormat: 'url', manifestFolder: home.folder } as const;
  await writeBatchOptions(home.home, 'a', { ...options, maxOutputBytes: 1e9 });
  const render = rowRecord({ id: 'one', ...paidFor, files: [file] });
  await home.records.writeRecord('a', render);
  const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
  const config = { s3: DEFAULT_S3, home: join(home.folder, 'home'), out, account: { name: 'seeded' } };
  const access = { ...home, records: { ...home.records, ...engine(home) }, config };
  const earlier = newFound('bytes');
  earlier.sources.set(0, { batch: 'a', id: 'one', atMs: render.finishedAtMs });
  const session = { config, terminal: { note: () => undefined } };
  const order = { session, access, batch: 'b', generation, options: { ...options, sidecar: true }, earlier };
  await takeRenders(order as unknown as Parameters<typeof takeRenders>[0]);
  return home;
}

/** Claims the row, pays for it and records its output. */
async function pay(home: SeededHome, output: OutputFile): Promise<void> {
  const ref = { batch: 'b', id: 'one', n: 1 };
  await home.ledger.claim(ref, intent({ rowHash: 'hash-one', kind: 'vendor-f/video', index: 0 }));
  await home.ledger.append(ref, { state: 'created', atMs: T0, handle: 'op' });
  await home.ledger.append(ref, {
    state: 'rendered',
    atMs: T0,
    outputs: [{ url: 'https://cdn.example/a.mp4' }],
    facts: {},
  });
  await home.records.writeRecord('b', paid(output));
}

const paid = (output: OutputFile): RowRecord =>
  rowRecord({ id: 'one', ...paidFor, rowHash: 'hash-one', files: [output], seenStates: 3 });

const film: OutputFile = { ...file, file: 'media/one.mp4', sha256: 'f'.repeat(64) };

/** What the batch did by the time that the render of `a` was looked up. */
const whileLookedUp = (output: OutputFile) => (home: SeededHome) => {
  const { readRecord } = home.records;
  let isDone = false;
  return {
    readRecord: async (batch: string, id: string) => {
      if (batch === 'a' && !isDone) {
        isDone = true;
        await pay(home, output);
      }
      return readRecord(batch, id);
    },
  };
};

const mediaOf = ({ folder }: SeededHome) => readdirSync(join(folder, 'out', 'b', 'media')).sort();

test('a row that nothing came to meanwhile has the earlier render', async () => {
  const home = await takeOver(() => ({}));
  expect(await home.records.readRecord('b', 'one')).toMatchObject({
    files: [file],
    creditsNano: 0,
    reusedFrom: 'a/one',
  });
  expect(mediaOf(home)).toEqual(['one.png', 'one.png.json']);
});

test('what the row has of other values keeps its name beside the render that is taken over', async () => {
  const before = rowRecord({
    id: 'one',
    ...paidFor,
    attempts: 0,
    reusedFrom: 'a/other',
    rowHash: 'other',
    files: [file],
  });
  const home = await takeOver((seeded) => {
    mkdirSync(join(seeded.folder, 'out', 'b', 'media'), { recursive: true });
    writeFileSync(join(seeded.folder, 'out', 'b', 'media', 'one.png'), 'of other values');
    let isWritten = false;
    return {
      readRecord: async (batch: string, id: string) => {
        if (!isWritten) await seeded.records.writeRecord('b', before);
        isWritten = true;
        return seeded.records.readRecord(batch, id);
      },
    };
  });
  const taken = { files: [{ ...file, file: 'media/one.v2.png' }], reusedFrom: 'a/one' };
  expect(await home.records.readRecord('b', 'one')).toMatchObject(taken);
  expect(mediaOf(home)).toEqual(['one.png', 'one.v2.png', 'one.v2.png.json']);
});

test('an output that was paid for while the copy was made keeps its record, and its name is free', async () => {
  const home = await takeOver(whileLookedUp(film));
  expect(await home.records.readRecord('b', 'one')).toEqual(paid(film));
  expect(mediaOf(home)).toEqual([]);
});

test('an output that is recorded at the last moment keeps its record, and no sidecar of the copy stays', async () => {
  const home = await takeOver((seeded) => ({
    addRecord: async (batch, record) => {
      await pay(seeded, film);
      return seeded.records.addRecord(batch, record);
    },
  }));
  expect(await home.records.readRecord('b', 'one')).toEqual(paid(film));
  expect(mediaOf(home)).toEqual([]);
});

test('an output that is the copy to the byte, under its name, stays where its record says', async () => {
  const home = await takeOver(whileLookedUp(file));
  expect(await home.records.readRecord('b', 'one')).toEqual(paid(file));
  expect(mediaOf(home)).toEqual(['one.png']);
});

test('the record of a failed try is changed as it stands, unless the row goes on meanwhile', async () => {
  const failed = (home: SeededHome) =>
    home.records.writeRecord(
      'b',
      rowRecord({ id: 'one', kind: 'vendor-f/video', status: 'failed', rowHash: 'hash-one' }),
    );
  const after = (meanwhile: (home: SeededHome) => Promise<void>) => (home: SeededHome) => {
    const { readRecord } = home.records;
    let isFailed = false;
    return {
      readRecord: async (batch: string, id: string) => {
        if (!isFailed) {
          isFailed = true;
          await failed(home);
        }
        return readRecord(batch, id);
      },
      changeRecord: async (batch: string, id: string, next: Parameters<Records['changeRecord']>[2]) => {
        await meanwhile(home);
        return home.records.changeRecord(batch, id, next);
      },
    };
  };
  const taken = await takeOver(after(async () => undefined));
  expect(await taken.records.readRecord('b', 'one')).toMatchObject({ status: 'done', reusedFrom: 'a/one' });
  const gone = await takeOver(after((home) => pay(home, film)));
  expect(await gone.records.readRecord('b', 'one')).toEqual(paid(film));
  expect(mediaOf(gone)).toEqual([]);
});
