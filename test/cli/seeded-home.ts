// A home with rows as batches left them, made without any engine: what the command line reads of it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptState, Intent } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { writeStopMark } from '../../src/engine/engine-record.js';
import { enginePlaces } from '../../src/engine/places.js';
import { type AccountRecords, openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createPlaces } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/port.js';
import { rowRecord } from '../support/row-record.js';
import { type CliResult, cli, workFolder } from './harness.js';

export const ACCOUNT = 'seeded';
export const CREDIT = 1_000_000_000;
export const T0 = Date.UTC(2026, 0, 5, 10, 0, 0);

/** A row with what its first attempt came to, and how it ended. */
export interface SeededRow {
  id: string;
  /** Where it is another one than `rowOf` makes. */
  row?: Partial<Row>;
  intent?: Partial<Intent>;
  states?: AttemptState[];
  record?: Partial<RowRecord>;
}

export interface SeededHome extends AccountRecords {
  folder: string;
  /** Runs a command line on this home; no engine can be reached, and no service but the one that was given. */
  run(...args: string[]): Promise<CliResult>;
  /** Puts another batch beside the first. */
  seed(batch: string, rows: SeededRow[]): Promise<void>;
  /** As by `engine stop`: what is ordered is recorded, and starts no engine. */
  stopEngine(openBatches?: number): void;
}

export async function seededHome(
  batch: string,
  rows: SeededRow[],
  baseUrl = 'http://127.0.0.1:9',
): Promise<SeededHome> {
  const folder = workFolder();
  const place = join(folder, 'home');
  mkdirSync(place, { recursive: true });
  const store = createPlaces({ settings: DEFAULT_S3, environment: {} }).openStore(place, 'private');
  const records = openAccountRecords(store, ACCOUNT);
  const seed = (one: string, of: SeededRow[]) => seedBatch({ records, store, folder }, one, of);
  await seed(batch, rows);
  const settings = ['--home', place, '--account', ACCOUNT, '--base-url', baseUrl];
  const env = { CALLSHEET_API_KEY: 'sk-svc-test' };
  const run = (...args: string[]) => {
    const names = args.includes('--') ? args.splice(args.indexOf('--')) : [];
    return cli([...args, ...settings, ...names], { cwd: folder, env });
  };
  const stopEngine = (openBatches = 1) => {
    const { dataFolder, stopMark } = enginePlaces(join(folder, 'data'));
    mkdirSync(dataFolder, { recursive: true });
    writeStopMark(stopMark, { openBatches });
  };
  return { ...records, folder, run, seed, stopEngine };
}

async function seedBatch(
  { records, store, folder }: { records: AccountRecords; store: Store; folder: string },
  batch: string,
  rows: SeededRow[],
): Promise<void> {
  const out = join(folder, 'out');
  await records.home.bindOut(batch, out, T0);
  await writeBatchOptions(records.home, batch, {
    ...{ schema: 1, out, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  const writer = createRowsWriter(store, ACCOUNT, batch);
  for (const [index, { id, row }] of rows.entries()) {
    await writer.add({ row: { ...rowOf(id, index), ...row }, raw: { id } });
  }
  const facts = await writer.finish({ columns: ['id'], passthroughColumns: [], createdAtMs: T0 });
  await records.rows.setCurrentGeneration(batch, facts.generation);
  for (const [index, { id, states = [], record, intent }] of rows.entries()) {
    const claimed = { ...intentOf(index, facts.generation), ...intent };
    if (states.length > 0) await records.ledger.claim({ batch, id, n: 1 }, claimed);
    for (const state of states) await records.ledger.append({ batch, id, n: 1 }, state);
    const seenStates = states.length === 0 ? 0 : states.length + 1;
    if (record === undefined) continue;
    if (states.length > 0) await records.ledger.close({ batch, id, n: 1 });
    await records.records.writeRecord(batch, { ...ended(id, seenStates), ...record });
  }
}

export function rowOf(id: string, index: number): Row {
  const cells = { model: 'vendor-f-1', prompt: `film ${id}` };
  return { index, line: index + 2, id, kind: 'vendor-f/video', stem: id, cells, media: {}, hash: `hash-${id}` };
}

function intentOf(index: number, generation: string): Intent {
  const place = { generation, part: 0, index };
  const expected = { lo: 0.4 * CREDIT, hi: 0.4 * CREDIT };
  const nonce = 'a'.repeat(64);
  return { state: 'intent', atMs: T0, nonce, rowHash: 'hash', kind: 'vendor-f/video', expected, ...place };
}

function ended(id: string, seenStates: number): RowRecord {
  return rowRecord({ id, kind: 'vendor-f/video', finishedAtMs: T0 + 60_000, rowHash: `hash-${id}`, seenStates });
}
