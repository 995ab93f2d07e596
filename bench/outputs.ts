import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RowRecord } from '../src/domain/outcome.js';
import type { Row } from '../src/domain/row.js';
import { writeBatchOptions } from '../src/home/batch-order.js';
import { openHome } from '../src/home/home.js';
import { homeKeys } from '../src/home/home-keys.js';
import { createRowsWriter } from '../src/home/rows-writer.js';
import { partOf, stemFrom } from '../src/manifest/names.js';

import { createFolderStore } from '../src/store/folder.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { startChild } from './lib/children.js';
import { benchFolder } from './lib/stand.js';

/** A batch of 100,000 finished rows: how its outputs spread over folders, and how long its results take. */

const ROWS = 100_000;
const ACCOUNT = 'bench';
const BATCH = 'many';
const ENTRIES_MAX = 1_000;
const RESULTS_MAX_S = 60;
const RESULTS_MAX_MB = 300;

export async function outputs({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const folder = await benchFolder();
  try {
    const generation = await makeBatch(folder);
    say(`outputs: ${ROWS} finished rows are made`);
    measures.add('entries in the fullest folder of media', '', await fullest(join(folder, 'out', BATCH)), ENTRIES_MAX);
    for (let run = 1; run <= runs; run += 1) {
      const { message } = await startChild<{ seconds: number; rssMb: number }>(
        'results-process',
        join(folder, 'home'),
        ACCOUNT,
        BATCH,
        generation,
      );
      measures.add('results assembled', 's', message.seconds, RESULTS_MAX_S);
      measures.add('memory while assembling', 'MB', message.rssMb, RESULTS_MAX_MB);
      say(`outputs ${run} of ${runs}: ${message.seconds.toFixed(1)} s, ${message.rssMb.toFixed(0)} MB`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { name: 'outputs', settings: { rows: ROWS, store: 'folder' }, measures: measures.all() };
}

/** Rows, records and files as a batch leaves them; written without fsync, since only reading them is measured. */
async function makeBatch(folder: string): Promise<string> {
  const root = join(folder, 'home');
  const store = createFolderStore(root);
  const home = openHome(store, ACCOUNT);
  await writeBatchOptions(home, BATCH, {
    schema: 1,
    out: join(folder, 'out'),
    onExists: 'fail',
    responseFormat: 'url',
    manifestFolder: folder,
    maxOutputBytes: 1e9,
  });
  const writer = createRowsWriter(store, ACCOUNT, BATCH);
  const keys = homeKeys(ACCOUNT);
  const made = new Set<string>();
  for (let index = 0; index < ROWS; index += 1) {
    const row = rowAt(index);
    await writer.add({ row, raw: { id: row.id, kind: row.kind } });
    const record = recordOf(row);
    await writePlain(made, join(root, keys.record(BATCH, row.id)), `${JSON.stringify(record)}\n`);
    await writePlain(made, join(folder, 'out', BATCH, record.files[0]?.file ?? ''), '');
  }
  const facts = await writer.finish({ columns: ['id', 'kind'], passthroughColumns: [], createdAtMs: Date.now() });
  return facts.generation;
}

function rowAt(index: number): Row {
  const id = `shot-${String(index).padStart(6, '0')}`;
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: `picture ${index}`, width: 1024, height: 1024 };
  const fields = { id, kind: 'svc/image', model: '', group: undefined, index, date: '2026-01-01' };
  const stem = stemFrom('{part}/{id}', { ...fields, cell: () => undefined, hasColumn: () => false });
  const media = {};
  return {
    index,
    line: index + 2,
    id,
    kind: 'svc/image',
    stem: stem.ok ? stem.stem : partOf(index),
    cells,
    media,
    hash: id,
  };
}

function recordOf({ id, kind, stem, hash }: Row): RowRecord {
  const sha256 = '0'.repeat(64);
  return {
    schema: 1,
    id,
    kind,
    status: 'done',
    flags: [],
    warnings: [],
    attempts: 1,
    files: [{ file: `media/${stem}.png`, contentType: 'image/png', bytes: 0, sha256, width: 1024, height: 1024 }],
    creditsNano: 600_000,
    creditsBasis: 'price-book',
    submittedAtMs: 1,
    renderedAtMs: 2,
    finishedAtMs: 3,
    rowHash: hash,
  };
}

async function writePlain(made: Set<string>, path: string, text: string): Promise<void> {
  const folder = dirname(path);
  if (!made.has(folder)) await mkdir(folder, { recursive: true });
  made.add(folder);
  await writeFile(path, text);
}

async function fullest(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  let most = entries.length;
  for (const entry of entries) {
    if (entry.isDirectory()) most = Math.max(most, await fullest(join(folder, entry.name)));
  }
  return most;
}
