import type { CreditsNano } from '../domain/money.js';
import { isRecordOf, type RowRecord } from '../domain/outcome.js';
import type { FedInput, Row } from '../domain/row.js';
import { intentOf } from '../domain/standing.js';
import { createLineIndex } from '../manifest/line-index.js';
import { renderKey } from '../manifest/row-hash.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { type StoredRow, type TouchedRows, touchedRows } from './row-records.js';
import { liveWordOf } from './row-standing.js';

/** What a batch has rendered, from its rows, records and attempts, which alone say what is true. */

/** One render of an account, by what was asked for. */
export interface KnownRender {
  key: string;
  batch: string;
  /** Of the row that it was made for. */
  id: string;
  /** Null where the cost is not known. */
  creditsNano: CreditsNano | null;
  /** When it ended, or was sent. */
  atMs: number;
  /** It is at the service: nobody knows yet whether anything comes of it. */
  isUnderWay: boolean;
}

const READ_WIDTH = 32;

/** In the manifest's order; what rows rendered for other content than the batch has now comes last. */
export async function* gatherRenders(account: AccountRecords, batch: string): AsyncIterable<KnownRender> {
  const current = await account.rows.currentGeneration(batch);
  if (current === undefined) return;
  const touched = touchedRows(account.home, batch);
  const earlier = await account.rows.generationsBeside(batch, current);
  const known = createLineIndex();
  for (const generation of [current, ...earlier]) {
    const facts = await account.rows.generation(batch, generation);
    for (const part of facts?.parts.keys() ?? []) {
      const rows = await account.rows.readPart(batch, generation, part);
      const found = await parallel(rows, READ_WIDTH, (row) => renderOf(account, batch, row, touched));
      for (const render of found) {
        if (render === undefined || (earlier.length > 0 && known.add(render.id, 1) !== undefined)) continue;
        yield render;
      }
    }
  }
}

async function renderOf(
  { records, ledger }: AccountRecords,
  batch: string,
  { row, isDamaged }: StoredRow,
  touched: TouchedRows,
): Promise<KnownRender | undefined> {
  if (isDamaged || !(await touched.wasTried(row.id))) return undefined;
  const record = (await touched.hasRecord(row.id)) ? await records.readRecord(batch, row.id) : undefined;
  if (record !== undefined) {
    if (!isRender(record) || !isRecordOf(record, row.hash)) return undefined;
    const { creditsNano = null, finishedAtMs: atMs } = record;
    return keyed(row, record.inputs, { batch, id: row.id, creditsNano, atMs, isUnderWay: false });
  }
  const attempts = await ledger.read(batch, row.id);
  const last = attempts.at(-1);
  const intent = last && intentOf(last);
  if (intent?.rowHash !== row.hash || liveWordOf(attempts) === 'waiting') return undefined;
  return keyed(row, intent.inputs, { batch, id: row.id, creditsNano: null, atMs: intent.atMs, isUnderWay: true });
}

/** A whole render of the row's own: no copy of another row's, and nothing that is made anew just now. */
export function isRender({ status, attempts, files, reusedFrom, rerunAtMs }: RowRecord): boolean {
  const isWhole = status === 'done' && files.length > 0 && rerunAtMs === undefined;
  return isWhole && attempts > 0 && reusedFrom === undefined;
}

function keyed(row: Row, inputs: readonly FedInput[] = [], render: Omit<KnownRender, 'key'>): KnownRender | undefined {
  const key = renderKey(row, ({ id }) => inputs.find((input) => input.row === id)?.sha256);
  return key === undefined ? undefined : { key, ...render };
}
