import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import type { Records } from '../../home/row-records.js';
import { fedHash, rowHash } from '../../manifest/row-hash.js';
import { parallel } from '../../store/parallel.js';
import { isNoFile } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openPlace } from '../access/home-access.js';
import { fileAsItLies } from '../batch/file-as-it-lies.js';
import type { ChangedOrder } from '../batch/run-flags.js';
import { UserError } from '../user-error.js';
import { withColumns } from './changed-rows.js';
import type { PlannedRow } from './row-planner.js';

/** Rows of a manifest that are left as they are: their records say so before the batch's workflow comes to them. */

const KEPT: readonly RowRecord['status'][] = ['done', 'lost_paid', 'review'];
const WRITE_WIDTH = 16;

export type KeptRow = Pick<Row, 'id' | 'hash'>;

/** Takes rows in the manifest's order; those that stay come back as finished. */
export type KeepFedRows = (planned: readonly PlannedRow[]) => Promise<PlannedRow[]>;

/** A file keeps it from being sent. */
export interface SkippedRow {
  row: Pick<Row, 'id' | 'kind' | 'hash' | 'index' | 'shares'>;
  /** In its way, relative to the batch's folder. */
  file: string;
  /** Its record says so already. */
  isRecorded: boolean;
}

/** `--no-dependents`: rows that changed only with what feeds them stay as they ended, and say so (`stale_input`). */
export function keepFedRows(at: BatchPlace, order: ChangedOrder): KeepFedRows {
  const { access, batch } = at;
  const named: ReadonlySet<string> = typeof order === 'boolean' ? new Set() : order;
  const kept = new Set<number>();

  async function isKept(planned: PlannedRow): Promise<boolean> {
    const { row, changed, plan } = planned;
    if (fedMedia(row).length === 0 || named.has(row.id)) return false;
    // A copy made no request of its own that could be compared: it goes with the row whose render it shares.
    if (row.shares !== undefined && changed === undefined) return plan.plan === 'shared' && kept.has(row.shares);
    if (changed === undefined) return planned.reusedFrom !== undefined && (await isTakenForFeeders(at, row));
    if (changed.isOpen) return false;
    return (await withColumns(at, planned)).changed?.columns?.length === 0;
  }

  return async (rows) => {
    const result: PlannedRow[] = [];
    for (const planned of rows) {
      const { row, isUntried } = planned;
      const record = (await isKept(planned)) ? await access.records.readRecord(batch, row.id) : undefined;
      if (record === undefined || !mayStay(record)) {
        result.push(planned);
        continue;
      }
      kept.add(row.index);
      const { status, creditsNano = null } = record;
      result.push({ row, isUntried, isKept: true, plan: { plan: 'finished', status, creditsNano } });
    }
    return result;
  };
}

/**
 * Whether a row that was taken over has another hash since what feeds it was changed, and for nothing else: no request of
 * its own is there to be compared, and with the hashes of before it would have the one of its record.
 */
async function isTakenForFeeders({ access, batch }: BatchPlace, row: Row): Promise<boolean> {
  const ids = fedMedia(row).map(({ id }) => id);
  const [own, ...feeding] = await access.records.readRecords(batch, [row.id, ...ids]);
  const before = feeding.flatMap((record) => record?.rowHash ?? []);
  if (own === undefined || before.length < ids.length || isRecordOf(own, row.hash)) return false;
  return isRecordOf(own, fedHash(rowHash(row), before));
}

export async function recordKept(
  { records }: HomeAccess,
  batch: string,
  { kept }: { kept: readonly KeptRow[] },
): Promise<void> {
  await parallel(kept, WRITE_WIDTH, (row) => keepRecord(records, batch, row));
}

async function keepRecord(records: Records, batch: string, { id, hash }: KeptRow): Promise<void> {
  const known = await records.readRecord(batch, id);
  if (known !== undefined && isRecordOf(known, hash)) return;
  await records.changeRecord(batch, id, (record) => {
    if (record !== undefined && isRecordOf(record, hash)) return undefined;
    if (record !== undefined && mayStay(record)) return { ...record, keptFor: hash };
    throw new UserError(
      `row '${id}' went on meanwhile, so that it cannot stay as it was: give the order again; nothing was submitted`,
    );
  });
}

function mayStay({ status, rerunAtMs }: RowRecord): boolean {
  return KEPT.includes(status) && rerunAtMs === undefined;
}

export async function recordSkipped(
  access: HomeAccess,
  batch: string,
  {
    skipped,
    reopened,
    feeding,
  }: {
    skipped: readonly SkippedRow[];
    reopened: readonly string[];
    feeding: readonly boolean[];
  },
): Promise<void> {
  await parallel(reopened, WRITE_WIDTH, (id) => access.records.forgetSkipped(batch, id));
  // What refers to a row that would share a render counts as fed by the one that renders for both.
  const feeds = ({ row: { index, shares = index } }: SkippedRow): boolean =>
    feeding[index] === true || feeding[shares] === true;
  const asked = skipped.filter((one) => !one.isRecorded || feeds(one));
  await parallel(asked, WRITE_WIDTH, (one) => recordSkip(access, batch, one, feeds(one)));
}

/** The file that is there stands for the output of a row that feeds others: only then are its bytes read. */
async function recordSkip(
  { config, ledger, records }: HomeAccess,
  batch: string,
  { row, file }: SkippedRow,
  isFeeding: boolean,
): Promise<void> {
  const { id, kind, hash } = row;
  // The batch may run already, and have come to the row since it was looked at.
  if ((await ledger.read(batch, id)).length > 0) return;
  const known = await records.readRecord(batch, id);
  const isOfRow = known !== undefined && isRecordOf(known, hash);
  if (isOfRow && (known.status === 'done' || known.files.length > 0)) return;
  const there = isFeeding
    ? await fileAsItLies(openPlace(config, config.out, 'shared'), batch, file).catch(noFile)
    : undefined;
  const record: RowRecord = {
    schema: 1,
    id,
    kind,
    status: 'skipped',
    reason: `${file} was there and is not of this row: nothing was sent`,
    flags: [],
    warnings: [],
    attempts: 0,
    files: there === undefined ? [] : [there.file],
    creditsNano: 0,
    creditsBasis: 'price-book',
    finishedAtMs: Date.now(),
    rowHash: hash,
    seenStates: 0,
  };
  if (known === undefined) {
    await records.addRecord(batch, record);
    return;
  }
  await records.changeRecord(batch, id, async () => ((await ledger.read(batch, id)).length > 0 ? undefined : record));
}

/** A link or a folder has the name: it feeds nothing. */
function noFile(error: unknown): undefined {
  if (!isNoFile(error)) throw error;
}
