import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import type { Records } from '../../home/row-records.js';
import { parallel } from '../../store/parallel.js';
import type { HomeAccess } from '../access/home-access.js';
import { UserError } from '../user-error.js';
import { withColumns } from './changed-columns.js';
import type { ChangedOrder } from './changed-flag.js';
import type { PlannedRow } from './row-planner.js';

/** `--no-dependents`: rows that changed only with what feeds them stay as they ended, and say so (`stale_input`). */

const KEPT: readonly RowRecord['status'][] = ['done', 'lost_paid', 'review'];
const WRITE_WIDTH = 16;

export type KeptRow = Pick<Row, 'id' | 'hash'>;

/** Takes rows in the manifest's order; those that stay come back as finished. */
export type KeepFedRows = (planned: readonly PlannedRow[]) => Promise<PlannedRow[]>;

export function keepFedRows(access: HomeAccess, batch: string, order: ChangedOrder): KeepFedRows {
  const named: ReadonlySet<string> = typeof order === 'boolean' ? new Set() : order;
  const kept = new Set<number>();

  async function isKept(planned: PlannedRow): Promise<boolean> {
    const { row, changed, plan } = planned;
    if (fedMedia(row).length === 0 || named.has(row.id)) return false;
    // A copy made no request of its own that could be compared: it goes with the row whose render it shares.
    if (row.shares !== undefined && changed === undefined) return plan.plan === 'shared' && kept.has(row.shares);
    if (changed === undefined || changed.isOpen) return false;
    return (await withColumns(access, batch, planned)).changed?.columns?.length === 0;
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

/** Their records say so before the batch's workflow comes to them. */
export async function recordKept(
  { records }: HomeAccess,
  batch: string,
  { kept }: { kept: readonly KeptRow[] },
): Promise<void> {
  await parallel(kept, WRITE_WIDTH, (row) => recordOne(records, batch, row));
}

async function recordOne(records: Records, batch: string, { id, hash }: KeptRow): Promise<void> {
  const record = await records.readRecord(batch, id);
  if (record !== undefined && isRecordOf(record, hash)) return;
  if (record !== undefined && mayStay(record)) return records.writeRecord(batch, { ...record, keptFor: hash });
  throw new UserError(
    `row '${id}' went on meanwhile, so that it cannot stay as it was: give the order again; nothing was submitted`,
  );
}

function mayStay({ status, rerunAtMs }: RowRecord): boolean {
  return KEPT.includes(status) && rerunAtMs === undefined;
}
