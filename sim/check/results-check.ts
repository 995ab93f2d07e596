import { batchId } from '../../src/contract/names.js';
import type { RowRecord, Status } from '../../src/domain/outcome.js';
import { ACCOUNT } from '../account-settings.js';
import { type PlannedRow, rowName } from '../rows.js';
import type { Scenario } from '../scenario.js';
import type { Disk } from '../worker/disk.js';
import { feedersOf } from './chains.js';
import type { LedgerWatch } from './ledger-watch.js';

/** I6, by what a user is given at the end: each row stands once in its batch's results, with an end. */

interface Ended {
  scenario: Scenario;
  outputs: Disk;
  records: Map<string, { atMs: number; record: RowRecord }>;
  ledger: LedgerWatch;
  /** The counts with which each batch ended, by workflow id. */
  results: Map<string, { counts: Record<Status, number>; endedAtMs: number }>;
  report: (rule: string, what: string) => void;
}

interface Line {
  id: string;
  status: string;
  reason_code?: string;
}

/** Gives every row's line, by `batch/id`. */
export function checkResults(ended: Ended): Map<string, Line> {
  const all = new Map<string, Line>();
  for (const batch of new Set(ended.scenario.rows.map((row) => row.batch))) {
    const rows = ended.scenario.rows.filter((row) => row.batch === batch);
    const lines = linesOf(ended, batch);
    for (const row of rows) checkRow(ended, row, lines);
    checkCounts(ended, batch, lines);
    for (const line of lines) all.set(`${batch}/${line.id}`, line);
  }
  return all;
}

/** A bill that came back, or a late refusal, after the row's end: the next run goes on with it. */
export function isOutdone({ records, ledger }: Pick<Ended, 'records' | 'ledger'>, row: string): boolean {
  const record = records.get(row)?.record;
  if (record === undefined || record.status === 'done') return false;
  const states = ledger.attemptsOf(row).reduce((sum, attempt) => sum + attempt.states.length, 0);
  return record.seenStates !== undefined && record.seenStates !== states;
}

function linesOf({ outputs }: Ended, batch: string): Line[] {
  const text = Buffer.from(outputs.get(`${batch}/results.jsonl`) ?? []).toString();
  const written = text.split('\n').filter((line) => line !== '');
  return written.map((line) => JSON.parse(line) as Line);
}

function checkRow(ended: Ended, row: PlannedRow, lines: Line[]): void {
  const { records, report } = ended;
  const name = rowName(row);
  const found = lines.filter((line) => line.id === row.id);
  if (found.length !== 1) report('I6', `${name} stands ${found.length} times in the results`);
  const [line] = found;
  // Only a cancel ends a row that was never opened, or a feeder that brings nothing.
  const isHeld = row.fedBy.length > 0 && line?.status === 'not_started';
  const told = records.get(name)?.record.status ?? (isHeld ? 'not_started' : 'cancelled');
  const isLive = line?.status === 'waiting' || line?.status === 'held';
  const goesOn = isLive && (isOutdone(ended, name) || isFedLate(ended, row));
  if (line && line.status !== told && !goesOn) report('I6', `${name} is ${told}, its results say ${line.status}`);
}

/** What feeds it, or feeds that, came right beside its batch, which had ended: the next run goes on with it. */
function isFedLate(ended: Ended, row: PlannedRow): boolean {
  const { records, results, scenario } = ended;
  const endedAtMs = results.get(batchId(ACCOUNT, row.batch))?.endedAtMs ?? Number.POSITIVE_INFINITY;
  return feedersOf(scenario, row).some(
    (feeder) => (records.get(rowName(feeder))?.atMs ?? 0) > endedAtMs || isFedLate(ended, feeder),
  );
}

function checkCounts({ results, records, report }: Ended, batch: string, lines: Line[]): void {
  const result = results.get(batchId(ACCOUNT, batch));
  if (!result) return;
  const sum = Object.values(result.counts).reduce((all, count) => all + count, 0);
  if (sum !== lines.length) report('I6', `${batch} counts ${sum} rows, its results have ${lines.length}`);
  // What is corrected after the end stands in the results alone.
  const isOfBatch = (row: string): boolean => row.startsWith(`${batch}/`);
  if ([...records].some(([row, { atMs }]) => isOfBatch(row) && atMs > result.endedAtMs)) return;
  for (const [status, count] of Object.entries(result.counts)) {
    const written = lines.filter((line) => line.status === status).length;
    if (written !== count) report('I6', `${batch} counts ${count} rows as ${status}, its results have ${written}`);
  }
}
