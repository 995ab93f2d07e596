import type { CreditsNano } from '../domain/money.js';
import { isRecordOf } from '../domain/outcome.js';
import type { FedInput, Row } from '../domain/row.js';
import { intentOf } from '../domain/standing.js';
import { createLineIndex } from '../manifest/line-index.js';
import { renderKey } from '../manifest/row-hash.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { rendersOf } from './past-renders.js';
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
  /** Of its first file; null while there is none. */
  sha256: string | null;
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
      const found = await parallel(rows, READ_WIDTH, (row) => rendersFor(account, batch, row, touched));
      for (const render of found.flat()) {
        if (earlier.length > 0 && known.add(renderName(render), 1) !== undefined) continue;
        yield render;
      }
    }
  }
}

/** Tells the renders of one row apart, as `batch/id/sha256`; one that is under way is `batch/id`. */
export function renderName({ batch, id, sha256 }: Pick<KnownRender, 'batch' | 'id' | 'sha256'>): string {
  return sha256 === null ? `${batch}/${id}` : `${batch}/${id}/${sha256}`;
}

/** All that was rendered for a row with the content that it has there, the newest first. */
async function rendersFor(
  { records, ledger }: AccountRecords,
  batch: string,
  { row, isDamaged }: StoredRow,
  touched: TouchedRows,
): Promise<KnownRender[]> {
  const { id } = row;
  if (isDamaged || !(await touched.wasTried(id))) return [];
  const record = (await touched.hasRecord(id)) ? await records.readRecord(batch, id) : undefined;
  if (record !== undefined) {
    return rendersOf(record).flatMap(({ rowHash, files, inputs, creditsNano = null, finishedAtMs: atMs }) => {
      // What stays by a person's order although what feeds the row was changed is of the row as it is now, too.
      const isOfRow = rowHash === row.hash || (record.rowHash === rowHash && isRecordOf(record, row.hash));
      const sha256 = files[0]?.sha256 ?? null;
      return isOfRow ? keyed(row, inputs, { batch, id, creditsNano, atMs, sha256, isUnderWay: false }) : [];
    });
  }
  const attempts = await ledger.read(batch, id);
  const last = attempts.at(-1);
  const intent = last && intentOf(last);
  if (intent?.rowHash !== row.hash || liveWordOf(attempts) === 'waiting') return [];
  const underWay = { batch, id, creditsNano: null, atMs: intent.atMs, sha256: null, isUnderWay: true };
  return keyed(row, intent.inputs, underWay);
}

function keyed(row: Row, inputs: readonly FedInput[] = [], render: Omit<KnownRender, 'key'>): KnownRender[] {
  const key = renderKey(row, ({ id }) => inputs.find((input) => input.row === id)?.sha256);
  return key === undefined ? [] : [{ key, ...render }];
}
