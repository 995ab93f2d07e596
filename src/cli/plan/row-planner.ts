import type { RetryOrder } from '../../contract/workflows.js';
import type { Attempt } from '../../domain/attempt.js';
import { defined } from '../../domain/defined.js';
import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { intentOf, isAtService, isKnownUnbilled, standingOf } from '../../domain/standing.js';
import { isCancelledBatch } from '../../home/batch-marks.js';
import { isOutdone, type RowContent, rowStanding } from '../../home/row-standing.js';
import { orderedStanding } from '../../home/run-order.js';
import type { BatchPlace, HomeAccess } from '../access/home-access.js';
import { findLost, type LostFile, type OutputCheck } from '../batch/lost-files.js';
import { mayTakeOver } from '../reuse/found-renders.js';
import { type CopySources, openCopySources } from '../reuse/source-of-copy.js';
import type { RowPlan } from './plan-tally.js';

/** Says for each row of a manifest what running it does, from what the home knows of it. */

export interface PlannedRow {
  row: Row;
  plan: RowPlan;
  /** No attempt of it was ever made: a file that has its name is of no earlier attempt. */
  isUntried: boolean;
  /** Its record names files: another render of it steps aside where its name is taken. */
  hasFiles?: true;
  /** Its record is of the values that it has now: what is rendered is ordered anew, and nothing was changed. */
  isSame?: true;
  /** It was never rendered here and cost nothing, so that an earlier render may stand for it. */
  mayReuse?: true;
  /** `batch/id` of the render that was taken over for it. */
  reusedFrom?: string;
  /** Of its first file. */
  sha256?: string;
  /** Set when the row's content differs from what was submitted. */
  changed?: ChangedRow;
  /** It stays as it ended, although what feeds it was changed. */
  isKept?: true;
  /** Set when the row is done and its file is not what was stored any more. */
  lost?: LostFile;
}

interface ChangedRow {
  submittedHash: string;
  /** The attempt with the old values may still cost or still bring its output. */
  isOpen: boolean;
  /** Which columns differ; absent where the row as it was submitted cannot be read. */
  columns?: readonly string[];
}

interface RowPlanner {
  /** False for a batch that never ran: there is nothing to look up. */
  isKnown: boolean;
  plan(rows: readonly Row[]): Promise<PlannedRow[]>;
}

export interface PlannerOptions {
  retry: RetryOrder | null;
  /** Absent where the files of finished rows need not be looked at. */
  outputs?: OutputCheck | undefined;
  /** Gives the record of a row whose files were away and are there again; absent where nobody looks. */
  again?: { look(record: RowRecord): Promise<RowRecord | undefined> } | undefined;
}

export async function createRowPlanner(
  { access, batch }: BatchPlace,
  { retry, outputs, again }: PlannerOptions,
): Promise<RowPlanner> {
  const isKnown = (await access.home.readBatch(batch)) !== undefined;
  const sources = openCopySources(access);
  const isCancelled = isKnown && retry === null && (await isCancelledBatch(access.home, batch));
  return {
    isKnown,
    // A batch that never ran has nothing to look up: a million rows cost no read.
    plan: async (rows) =>
      isKnown ? planKnown(batch, rows, { access, retry, isCancelled, outputs, again, sources }) : rows.map(toSubmit),
  };
}

interface Planning extends PlannerOptions {
  access: HomeAccess;
  isCancelled: boolean;
  sources: CopySources;
}

async function planKnown(batch: string, rows: readonly Row[], planning: Planning): Promise<PlannedRow[]> {
  const { access, retry, isCancelled, again } = planning;
  const ids = rows.map(({ id }) => id);
  const records = await access.records.readRecords(batch, ids);
  return Promise.all(
    rows.map(async (row, i) => {
      const known = records[i];
      const record = (known && (await again?.look(known))) ?? known;
      // Of a finished row the record says all; else the ledger knows what can be carried on.
      const isSettled = rowStanding(record, null, retry, contentOf(row)).ended;
      const attempts = isSettled ? [] : await access.ledger.read(batch, row.id);
      const planned = planRow(row, record, attempts, retry, isCancelled);
      const lost = record && isSettled ? await findLost(access, batch, { row, record }, planning) : undefined;
      return lost === undefined ? planned : withoutFile(planned, lost);
    }),
  );
}

/** What may be fetched again is no finished row; it costs nothing. */
function withoutFile(planned: PlannedRow, lost: LostFile): PlannedRow {
  return { ...planned, lost, ...(lost.mayComeAgain ? { plan: { plan: 'joined' } } : {}) };
}

const CANCELLED = { status: 'cancelled', reason: 'cancelled_by_user' } as const;
/** Pure. */
export function planRow(
  row: Row,
  record: RowRecord | undefined,
  attempts: Attempt[],
  retry: RetryOrder | null,
  isCancelled: boolean,
): PlannedRow {
  const isKept = record?.keptFor === row.hash;
  const changed = isKept ? undefined : changeOf(row, attempts, record);
  const isUntried = attempts.length === 0;
  const mayReuse = mayTakeOver(row, record, attempts);
  const { reusedFrom, files } = record ?? {};
  const sha256 = files?.[0]?.sha256;
  const hasFiles = record !== undefined && record.status !== 'skipped' && record.files.length > 0;
  const isSame = record !== undefined && isRecordOf(record, row.hash);
  const marks = { ...(mayReuse && { mayReuse }), ...(hasFiles && { hasFiles }), ...(isSame && { isSame }) };
  const common = { row, isUntried, ...marks, ...defined({ reusedFrom, sha256, changed }) };
  // As its pages find it: nothing is sent for a batch that was cancelled, but what a person ordered since.
  const order = { retry, ends: isCancelled ? CANCELLED : undefined };
  const standing = orderedStanding(record, attempts, order, contentOf(row));
  const isSkipped = standing.ended && standing.status === 'skipped';
  if (standing.ended) return { ...common, plan: isSkipped ? { plan: 'skipped' } : { plan: 'finished', ...standing } };
  return { ...common, plan: standing.begins === 'submit' ? freshPlan(row, record) : { plan: 'joined' } };
}

/** The renders that no other row may take over: its own, but for earlier ones, and what was taken over for it. */
export function takenBy(batch: string, { row: { id }, plan, reusedFrom, sha256 }: PlannedRow): string[] {
  const files = sha256 === undefined ? '' : `/${sha256}`;
  const isOwn = plan.plan === 'finished' || plan.plan === 'joined';
  return [...(isOwn ? [`${batch}/${id}${files}`] : []), ...(reusedFrom === undefined ? [] : [`${reusedFrom}${files}`])];
}

/** Only an attempt that was or may be billed binds a row to its content. */
function changeOf(row: Row, attempts: Attempt[], record: RowRecord | undefined): ChangedRow | undefined {
  const paid = attempts.findLast((attempt) => !isKnownUnbilled(standingOf(attempt)));
  const intent = paid && intentOf(paid);
  if (!paid || !intent || intent.rowHash === row.hash) return undefined;
  // Rendered or tried again, a row keeps the record of before until that has ended.
  const isAgain = record !== undefined && isOutdone(record, attempts) && isAtService(standingOf(paid));
  return { submittedHash: intent.rowHash, isOpen: record === undefined || isAgain };
}

/** Counted and priced as if it were paid again: without the order for it, nothing of the manifest is submitted. */
function contentOf({ hash }: Row): RowContent {
  return { hash, mayRerun: true };
}

function toSubmit(row: Row): PlannedRow {
  return { row, plan: freshPlan(row), isUntried: true, mayReuse: true };
}

/** A retry of a row that found nothing to share may have to pay for it. */
export function freshPlan({ shares }: Row, record?: RowRecord): RowPlan {
  const isShared = shares !== undefined && record?.reasonCode !== 'shared_row_failed';
  return { plan: isShared ? 'shared' : 'submit' };
}
