import type { PageEntry } from '../src/contract/pages.js';
import type { RowRef } from '../src/contract/workflows.js';
import { isRecordOf, type OutputFile, type RowRecord, type Status, sharesText } from '../src/domain/outcome.js';
import type { Row } from '../src/domain/row.js';
import type { Feeder } from '../src/home/feeders.js';
import type { RerunOrder } from '../src/home/row-orders.js';
import type { StoredRow } from '../src/home/row-records.js';
import { type RowStanding, rowStanding } from '../src/home/row-standing.js';
import { loadRow, type RowWork } from '../src/home/row-work.js';
import { rowAt } from '../src/home/rows.js';
import { type RunOrder, retryFor, runOrder, standingOfRow } from '../src/home/run-order.js';
import { askedOutput, disagreements } from '../src/kinds/expected.js';
import { createOutputs, OutputRefused } from '../src/store/outputs.js';
import { readAsItLies, StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { onExistsOf } from './files/landing.js';
import { whileStored, withTries } from './files/tries.js';
import { entryOf } from './row/page-entry.js';
import { endRow } from './row/record.js';

/** Rows with the same request are rendered once: the first is paid for, the others get copies of its files. */

export interface ShareActivities {
  /**
   * Ends a row that shares the render of another, which has ended: with copies of its files, or as it ended. Null =
   * there is nothing to share, so that the row runs by itself.
   */
  shareOutput(input: { row: RowRef }): Promise<{ status: Status | null }>;
}

export function shareActivities(deps: Dependencies): ShareActivities {
  return {
    shareOutput: ({ row }) =>
      withTries({ tries: 0, sinceMs: deps.now() }, (tries) =>
        whileStored(deps, row, tries, async () => ({ status: await share(deps, row) })),
      ),
  };
}

async function share(deps: Dependencies, ref: RowRef): Promise<Status | null> {
  const work = await loadRow(deps, ref);
  const [first, own] = await Promise.all([firstRow(deps, ref, work.row), deps.records.readRecord(ref.batch, ref.id)]);
  // A row whose hash was taken for this one's, or whose record is of other content, has nothing to give.
  if (first === undefined || first.hash !== work.row.hash) return null;
  const record = await deps.records.readRecord(ref.batch, first.id);
  // Nothing was rendered for it: this row is sent by itself.
  if (record?.status === 'skipped') return null;
  const isSame = record !== undefined && isRecordOf(record, work.row.hash);
  const files = isSame && record.status === 'done' ? await copyAll(deps, ref, { work, own }, record) : undefined;
  if (files !== undefined) {
    const warnings = [sharesText(first.id), ...files.flatMap((file) => against(work.row, file))];
    await endRow(deps, ref, { status: 'done', files, warnings, ...(record === undefined ? {} : { shared: record }) });
    return 'done';
  }
  // Nothing came of it. A person who orders a retry of this row pays for it, unless the same request just failed again.
  const isOrdered = own?.reasonCode === 'shared_row_failed' && (await isRunAgain(deps, ref, own));
  if (isOrdered && record?.status !== 'failed') return null;
  const ended = record === undefined ? 'has no result' : record.status === 'done' ? 'lost its file' : record.status;
  const text = `row ${first.id}, which has the same request: ${ended}`;
  if (record?.status === 'cancelled') {
    await endRow(deps, ref, { status: 'cancelled', reason: 'cancelled_by_user', text });
    return 'cancelled';
  }
  await endRow(deps, ref, { status: 'failed', reason: 'shared_row_failed', text });
  return 'failed';
}

/** False for the end that an earlier try wrote, whose word was lost: nobody has ordered anything since. */
async function isRunAgain(
  deps: Dependencies,
  { batch, id }: Pick<RowRef, 'batch' | 'id'>,
  own: RowRecord,
): Promise<boolean> {
  const [{ retry }, attempts] = await Promise.all([runOrder(deps, batch, 'unsaid'), deps.ledger.read(batch, id)]);
  return !rowStanding(own, attempts, retryFor(own, retry)).ended;
}

/** What a batch needs to open a row that shares another's render; a copy reserves nothing, and no plan counts it. */
export async function sharingEntry(
  deps: Dependencies,
  place: BatchPlace,
  {
    row,
    feeders,
    standing,
  }: { row: Row; feeders: readonly Feeder[]; standing: Extract<RowStanding, { ended: false }> },
): Promise<PageEntry> {
  const entry = await entryOf(deps, place.batch, row, feeders, { ...standing, begins: 'share' });
  return (await mayPay(deps, place, row)) ? entry : { ...entry, upToNano: 0 };
}

/** A row that ended since the one whose render it shares brought nothing goes on where that one is done after all. */
export async function standingAfter(
  deps: Dependencies,
  batch: string,
  { stored, done }: { stored: StoredRow; done: number },
  { order, rerun }: { order: RunOrder; rerun: RerunOrder },
): Promise<RowStanding> {
  const standing = await standingOfRow(deps, batch, stored, order, rerun);
  const { id, shares } = stored.row;
  if (!standing.ended || standing.status !== 'failed' || shares !== done || order.ends !== undefined) return standing;
  const [record, attempts] = await Promise.all([deps.records.readRecord(batch, id), deps.ledger.read(batch, id)]);
  const isCopy = record?.reasonCode === 'shared_row_failed' && attempts.length === 0;
  return isCopy ? { ended: false, begins: 'submit', attempts: 0 } : standing;
}

/** Whether a row that shares another's render may be sent by itself all the same, as `share` decides it. */
async function mayPay(deps: Dependencies, place: BatchPlace, row: Row): Promise<boolean> {
  const first = await firstRow(deps, place, row);
  if (first === undefined || first.hash !== row.hash) return true;
  const [own, record] = await Promise.all([
    deps.records.readRecord(place.batch, row.id),
    deps.records.readRecord(place.batch, first.id),
  ]);
  if (record?.status === 'skipped') return true;
  return own?.reasonCode === 'shared_row_failed' && isRunAgain(deps, { batch: place.batch, id: row.id }, own);
}

type BatchPlace = Pick<RowRef, 'batch' | 'generation'>;

async function firstRow({ rows }: Dependencies, ref: BatchPlace, { shares }: Row): Promise<Row | undefined> {
  return shares === undefined ? undefined : (await rowAt(rows, ref.batch, ref.generation, shares))?.stored.row;
}

/** Undefined when a file of the first row is gone or is another one by now. */
async function copyAll(
  deps: Dependencies,
  ref: RowRef,
  { work, own }: { work: RowWork; own: RowRecord | undefined },
  record: RowRecord,
): Promise<OutputFile[] | undefined> {
  const { row, options } = work;
  const onExists = onExistsOf(own, work);
  const store = deps.openStore(options.out);
  const outputs = createOutputs(store, ref.batch);
  const copies: OutputFile[] = [];
  // By an earlier try that was recorded, and whose word was lost: a person may have changed either file since.
  const made = own?.status === 'done' && own.rerunAtMs === undefined ? own.files : undefined;
  for (const [position, file] of record.files.entries()) {
    const copied = made?.[position];
    if (copied?.sha256 === file.sha256) {
      copies.push(copied);
      continue;
    }
    const key = `${ref.batch}/${file.file}`;
    const held = await store.stat(key);
    const source = held?.sha256 === file.sha256 ? await readAsItLies(store, key, held) : undefined;
    const name = { stem: row.stem, position, attemptName: `${row.id}-shared`, expected: 'any' } as const;
    if (source === undefined) {
      const before = await outputs.made(name, file);
      if (before === undefined) return undefined;
      copies.push(before);
      continue;
    }
    const saved = await outputs.save(source, { ...name, onExists }).catch(refused);
    if (saved === undefined) return undefined;
    if (saved.file.sha256 !== file.sha256) {
      throw new StoreError('DAMAGED', `'${key}' in ${store.location} changed while it was copied`, key);
    }
    copies.push({ ...file, ...saved.file });
  }
  return copies;
}

/** A file that is no output has nothing to give, however often it is tried. */
function refused(error: unknown): undefined {
  if (!(error instanceof OutputRefused)) throw error;
  return undefined;
}

function against(row: Row, file: OutputFile): string[] {
  return disagreements(askedOutput(row), file);
}
