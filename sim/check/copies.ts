import type { RowRecord } from '../../src/domain/outcome.js';
import { type PlannedRow, rowName } from '../rows.js';
import type { Scenario } from '../scenario.js';
import type { LedgerWatch } from './ledger-watch.js';

/** Rows that ask for what another asks for: they send nothing unless a person has ordered it, and end as that one does. */

interface Copied {
  scenario: Scenario;
  records: ReadonlyMap<string, { atMs: number; record: RowRecord }>;
  report: (rule: string, what: string) => void;
}

/** `batch/id` of the row that renders what this one shares; undefined for a row that is rendered itself. */
export function originalOf({ rows }: Scenario, { batch, shares }: PlannedRow): string | undefined {
  const original = shares === undefined ? undefined : rows.filter((row) => row.batch === batch)[shares];
  return original && rowName(original);
}

/** At a POST: nothing is rendered twice but what failed, once a person has ordered that it goes on. */
export function checkSentCopy({ scenario, records, report }: Copied, name: string, isRetried: boolean): void {
  const row = scenario.rows.find((one) => rowName(one) === name);
  const original = row && originalOf(scenario, row);
  if (original === undefined) return;
  const record = records.get(original)?.record;
  if (!isRetried) report('copy', `${name} is sent, though it shares the render of ${original}`);
  else if (record?.status === 'done' && scenario.changesFiles === 0)
    report('copy', `${name} is sent, though ${original} is done and has what it asks for`);
}

/** At the end. */
export function checkCopies(
  { scenario, records, ledger, report }: Copied & { ledger: LedgerWatch },
  lines: ReadonlyMap<string, { status: string; reason_code?: string }>,
): void {
  for (const row of scenario.rows) {
    const original = originalOf(scenario, row);
    const line = lines.get(rowName(row));
    if (original === undefined || line === undefined) continue;
    // One that a person had sent by itself, when its original had brought nothing, ends as its own attempt does.
    if (ledger.attemptsOf(rowName(row)).length > 0) continue;
    const { status } = lines.get(original) ?? {};
    const end = line.reason_code ?? line.status;
    // An answer that came after the copy had ended without it: the next run gives the copy what it asks for.
    const endedMs = (name: string): number => records.get(name)?.atMs ?? 0;
    if (end === 'shared_row_failed' && endedMs(original) > endedMs(rowName(row))) continue;
    // A file that a person has changed has nothing to give.
    if (status === 'done' && end !== 'done' && line.status !== 'cancelled' && scenario.changesFiles === 0)
      report('copy', `${rowName(row)} is ${end}, though ${original} is done`);
  }
}
