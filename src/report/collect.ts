import { formatCredits } from '../domain/money.js';
import { needsPerson, noCounts, type OutputFile, type Status, sharedFrom } from '../domain/outcome.js';
import { takesSlot } from '../kinds/facts.js';
import { modelOf } from '../manifest/columns.js';
import { type ResultLine, statusOf } from '../manifest/result-fields.js';
import { shortened } from './html.js';
import { type FailureGroup, groupFailures, Spread, TimeBins } from './tallies.js';

/** What a report says of a batch's rows, gathered in one pass over the lines of its results. */

/** Above it a report has no table of rows, and no list of all outputs. */
export const ROWS_MAX = 2_000;
const MINUTE_MS = 60_000;
const NAMES_MAX = 1_000;
const PERSONS_MAX = 200;
const PROMPT_MAX = 240;

/** Rows that have something in common, and what they cost. */
export interface Share {
  rows: number;
  done: number;
  creditsNano: number;
  creditsUnknown: number;
}

export interface ShownOutput {
  id: string;
  /** `x-title` where the manifest has it, else the id. */
  title: string;
  kind: string;
  model: string;
  prompt: string;
  file: OutputFile;
  /** An earlier render that was taken over. */
  isReused: boolean;
}

export interface ShownRow {
  id: string;
  kind: string;
  model: string;
  group: string;
  status: string;
  reasonCode: string;
  reason: string;
  credits: string;
  file: string;
}

export interface ReportRows {
  counts: Record<Status, number>;
  /** Rows that have not ended. */
  open: number;
  removed: number;
  total: Share;
  byKind: Map<string, Share>;
  byModel: Map<string, Share>;
  byGroup: Map<string, Share>;
  /** Rows with the request of another row, which gave them its output, and what that saved as far as it is known. */
  saved: { rows: number; creditsNano: number };
  failures: FailureGroup[];
  /** Rows that need a person, the first ones. */
  forPerson: ShownRow[];
  forPersonCount: number;
  /** Every row, empty when there are more than `ROWS_MAX`. */
  rows: ShownRow[];
  /** All of them, or so many as `ROWS_MAX`, spread over all. */
  outputs: ShownOutput[];
  outputCount: number;
  slots: TimeBins;
  submits: TimeBins;
  lastMs: number | undefined;
}

export async function collectRows(
  lines: AsyncIterable<ResultLine>,
  { createdAtMs }: { createdAtMs: number },
): Promise<ReportRows> {
  const report = emptyReport(createdAtMs);
  const failures = groupFailures();
  const outputs = new Spread<ShownOutput>(ROWS_MAX);
  /** By the row's index: what those that share its render were spared. */
  const paid: (number | undefined)[] = [];
  for await (const line of lines) {
    if (line.removed) {
      report.removed += 1;
      continue;
    }
    count(report, line, paid);
    addTimes(report, line);
    addShown(report, line);
    const { row, ended, endedFor, endedText } = line;
    if (line.record !== undefined && line.record.status !== 'done') failures.add(line.record);
    else if (ended !== undefined) failures.add({ id: row.id, status: ended, reasonCode: endedFor, reason: endedText });
    for (const file of line.record?.status === 'done' ? line.record.files : []) {
      report.outputCount += 1;
      outputs.add(outputOf(line, file));
    }
  }
  report.failures = failures.groups().reverse();
  report.outputs = outputs.items();
  return report;
}

function emptyReport(createdAtMs: number): ReportRows {
  return {
    ...{ counts: noCounts(), open: 0, removed: 0, total: newShare() },
    ...{ byKind: new Map(), byModel: new Map(), byGroup: new Map(), saved: { rows: 0, creditsNano: 0 } },
    ...{ failures: [], forPerson: [], forPersonCount: 0, rows: [], outputs: [], outputCount: 0 },
    ...{ slots: new TimeBins(createdAtMs), submits: new TimeBins(createdAtMs, MINUTE_MS), lastMs: undefined },
  };
}

function newShare(): Share {
  return { rows: 0, done: 0, creditsNano: 0, creditsUnknown: 0 };
}

function count(report: ReportRows, line: ResultLine, paid: (number | undefined)[]): void {
  const { row, record, ended, spentNano = 0 } = line;
  const status = record?.status ?? ended;
  if (status === undefined) report.open += 1;
  else report.counts[status] += 1;
  const shares = [report.total, shareIn(report.byKind, row.kind), shareIn(report.byModel, modelOf(row) || '-')];
  if (row.group !== undefined) shares.push(shareIn(report.byGroup, row.group));
  for (const share of shares) {
    share.rows += 1;
    if (status === 'done') share.done += 1;
    if (record !== undefined && record.creditsNano === undefined) share.creditsUnknown += 1;
    share.creditsNano += record?.creditsNano ?? spentNano;
  }
  paid[row.index] = record?.creditsNano;
  if (row.shares === undefined || !isCopy(line)) return;
  report.saved.rows += 1;
  report.saved.creditsNano += paid[row.shares] ?? 0;
}

/** A row that would share a render and found none was sent, and paid, by itself. */
function isCopy({ record }: ResultLine): boolean {
  return record?.status === 'done' && sharedFrom(record) !== undefined;
}

/** Beyond so many names the rest is one share of its own. */
function shareIn(shares: Map<string, Share>, name: string): Share {
  const key = shares.has(name) || shares.size < NAMES_MAX ? name : '(others)';
  const share = shares.get(key) ?? newShare();
  shares.set(key, share);
  return share;
}

function addTimes(report: ReportRows, line: ResultLine): void {
  const { record, row } = line;
  if (record === undefined) return;
  report.lastMs = Math.max(report.lastMs ?? 0, record.finishedAtMs);
  if (record.submittedAtMs === undefined || isCopy(line)) return;
  report.submits.add(record.submittedAtMs, 1);
  if (takesSlot(row.kind)) report.slots.addSpan(record.submittedAtMs, record.renderedAtMs ?? record.finishedAtMs);
}

function addShown(report: ReportRows, line: ResultLine): void {
  const { record } = line;
  if (record !== undefined && needsPerson(record)) {
    report.forPersonCount += 1;
    if (report.forPerson.length < PERSONS_MAX) report.forPerson.push(shownRow(line));
  }
  if (report.total.rows <= ROWS_MAX) report.rows.push(shownRow(line));
  else report.rows = [];
}

function shownRow(line: ResultLine): ShownRow {
  const { row, record } = line;
  const { creditsNano } = record ?? {};
  return {
    ...{ id: row.id, kind: row.kind, model: modelOf(row), group: row.group ?? '', status: statusOf(line) },
    reasonCode: record?.reasonCode ?? line.endedFor ?? '',
    reason: record?.reason ?? line.endedText ?? '',
    credits: creditsNano === undefined ? '' : formatCredits(creditsNano),
    file: record?.files[0]?.file ?? '',
  };
}

function outputOf({ row, record }: ResultLine, file: OutputFile): ShownOutput {
  const { prompt } = row.cells;
  return {
    ...{ id: row.id, title: row.passthrough?.['x-title'] || row.id, kind: row.kind, model: modelOf(row), file },
    prompt: typeof prompt === 'string' ? shortened(prompt, PROMPT_MAX) : '',
    isReused: record?.reusedFrom !== undefined,
  };
}
