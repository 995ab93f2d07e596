import type { RowRecord } from '../../src/domain/outcome.js';
import { type PlannedRow, rowName } from '../rows.js';
import type { Scenario } from '../scenario.js';
import type { Disk } from '../worker/disk.js';

/** Rows that feed rows: nothing is sent before what feeds it is whole, and whoever waits in vain ends as the contract says. */

interface Fed {
  scenario: Scenario;
  records: Map<string, { atMs: number; record: RowRecord }>;
  outputs: Disk;
  report: (rule: string, what: string) => void;
}

interface EndedFed extends Fed {
  /** Of all rows, by `batch/id`. */
  lines: ReadonlyMap<string, { status: string; reason_code?: string }>;
  posts: readonly { row: string }[];
}

export function feedersOf({ rows }: Scenario, row: PlannedRow): PlannedRow[] {
  const batch = rows.filter((one) => one.batch === row.batch);
  return row.fedBy.flatMap((place) => batch[place] ?? []);
}

/** At a POST: every file that feeds the row is there, and is the one that was recorded. */
export function checkFeeders({ scenario, records, outputs, report }: Fed, name: string): void {
  const row = scenario.rows.find((one) => rowName(one) === name);
  for (const feeder of row ? feedersOf(scenario, row) : []) {
    const record = records.get(rowName(feeder))?.record;
    const [file] = record?.files ?? [];
    if (record?.status !== 'done' || !file) {
      report('chain', `${name} is sent before ${rowName(feeder)}, which feeds it, is done`);
      continue;
    }
    // What was exchanged after it had been taken is not looked at again.
    if (outputs.get(`${feeder.batch}/${file.file}`) === undefined && scenario.changesFiles === 0)
      report('chain', `${name} is sent without the file of ${rowName(feeder)}`);
  }
}

/** How rows that others feed ended, by their reason or status. */
export function fedEnds({ scenario, lines }: Pick<EndedFed, 'scenario' | 'lines'>): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const row of scenario.rows.filter(({ fedBy }) => fedBy.length > 0)) {
    const { status = 'none', reason_code: reason } = lines.get(rowName(row)) ?? {};
    const end = status === 'not_started' ? (reason ?? status) : status;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** At the end: `upstream_failed`, `upstream_review`, `upstream_late` and `input_changed` stand where they must, and nowhere else. */
export function checkChains({ scenario, records, lines, posts, report }: EndedFed): void {
  for (const row of scenario.rows) {
    const name = rowName(row);
    const line = lines.get(name);
    const feeders = feedersOf(scenario, row);
    // How a copy ends is its original's. What has no end goes on with the next run, which I6 allows.
    if (line === undefined || feeders.length === 0 || row.shares !== undefined) continue;
    if (['cancelled', 'waiting', 'held'].includes(line.status)) continue;
    const isFed = feeders.every((feeder) => lines.get(rowName(feeder))?.status === 'done');
    if (isFed) {
      checkFedRow(line, name);
      continue;
    }
    const wasSent = posts.some((post) => post.row === name);
    const reasons = faultsAbove(row);
    if (line.status === 'not_started' && wasSent) report('chain', `${name} is not started, and was sent`);
    // What was sent was fed then: a verdict that is contradicted later takes the file of a row that was done away again.
    const isSaid = wasSent || (line.status === 'not_started' && reasons.has(line.reason_code ?? ''));
    if (!isSaid)
      report('chain', `${name} is ${line.status}, ${line.reason_code}; expected ${[...reasons].join(' or ')}`);
  }

  function checkFedRow(line: { status: string; reason_code?: string }, name: string): void {
    // What came late begins nothing before the retry.
    if (line.status === 'not_started' && !['input_changed', 'upstream_late'].includes(line.reason_code ?? ''))
      report('chain', `${name} is not started though all that feeds it is done: ${line.reason_code}`);
    if (line.reason_code === 'input_changed' && scenario.changesFiles === 0)
      report('chain', `${name} was refused for a changed input, and nothing was changed`);
    const { record } = records.get(name) ?? {};
    if (line.status === 'done' && record?.inputs === undefined) report('chain', `${name} names no inputs`);
  }

  /** What a row that waits in vain may say: by each row at fault above it. */
  function faultsAbove(row: PlannedRow): Set<string> {
    const said = feedersOf(scenario, row).flatMap((feeder): string[] => {
      const { status, reason_code: reason } = lines.get(rowName(feeder)) ?? {};
      if (status === 'done') return [];
      if (status === 'review' || status === 'lost_paid') return ['upstream_review'];
      if (reason === 'upstream_late') return [reason];
      return status === 'not_started' && reason?.startsWith('upstream')
        ? [...faultsAbove(feeder)]
        : ['upstream_failed'];
    });
    return new Set(said);
  }
}
