import { formatCredits } from '../domain/money.js';
import { needsPerson } from '../domain/needs-person.js';
import type { OutputFile } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import { modelOf } from '../manifest/cost-notes.js';
import { filesOf, type ResultLine, statusOf } from '../manifest/result-fields.js';
import { type FailureGroup, groupFailures } from '../report/failure-groups.js';

/** The rows of one batch as they stood at one moment. */
export interface BatchRows {
  rows: PageRow[];
  failures: FailureGroup[];
  /** Output files by their names: nothing else of the batch's folder is served. */
  files: ReadonlyMap<string, OutputFile>;
  readAtMs: number;
}

/** One row of the table. Times are epoch ms; credits a decimal string, null where they are not known. */
export interface PageRow {
  row: Row;
  id: string;
  title: string;
  kind: string;
  model: string;
  group: string;
  prompt: string;
  status: string;
  reasonCode: string;
  reason: string;
  needsPerson: boolean;
  credits: string | null;
  /** Claims so far, as its record has them. */
  attempts: number;
  files: OutputFile[];
  submittedAtMs: number | null;
  renderedAtMs: number | null;
  finishedAtMs: number | null;
}

const PROMPT_MAX = 300;
const BATCHES_MAX = 8;
const FRESH_MS = 1_000;
/** A batch that takes long to read is read less often. */
const REST = 10;
const PATIENCE_MS = 1_000;

/**
 * The rows of batches, read by one pass at a time however many pages ask. A page gets what was read last while a long
 * pass goes on.
 */
export function createRowsReader(lines: (batch: string) => AsyncIterable<ResultLine>, now: () => number) {
  const kept = new Map<string, { rows: BatchRows; tookMs: number }>();
  const passes = new Map<string, Promise<BatchRows>>();
  const pass = async (batch: string): Promise<BatchRows> => {
    const beganAtMs = now();
    const rows = await gather(lines(batch), beganAtMs);
    kept.delete(batch);
    if (kept.size >= BATCHES_MAX) kept.delete(kept.keys().next().value ?? '');
    kept.set(batch, { rows, tookMs: now() - beganAtMs });
    return rows;
  };
  const begin = (batch: string): Promise<BatchRows> => {
    const running = passes.get(batch);
    if (running !== undefined) return running;
    const begun = pass(batch).finally(() => passes.delete(batch));
    passes.set(batch, begun);
    return begun;
  };
  return async (batch: string): Promise<BatchRows> => {
    const last = kept.get(batch);
    if (last === undefined) return begin(batch);
    if (now() - last.rows.readAtMs < Math.max(FRESH_MS, last.tookMs * REST)) return last.rows;
    const fresh = begin(batch);
    if (last.tookMs < PATIENCE_MS) return fresh;
    // Whoever waits for the next pass is told of its failure.
    fresh.catch(() => undefined);
    return last.rows;
  };
}

async function gather(lines: AsyncIterable<ResultLine>, readAtMs: number): Promise<BatchRows> {
  const rows: PageRow[] = [];
  const files = new Map<string, OutputFile>();
  const failures = groupFailures();
  for await (const line of lines) {
    if (line.removed) continue;
    rows.push(pageRow(line));
    for (const file of filesOf(line)) files.set(file.file, file);
    const { record, ended, endedFor, row } = line;
    if (record !== undefined && record.status !== 'done') failures.add(record);
    else if (ended !== undefined) failures.add({ id: row.id, status: ended, reasonCode: endedFor });
  }
  return { rows, files, failures: failures.groups().reverse(), readAtMs };
}

function pageRow(line: ResultLine): PageRow {
  const { row, record } = line;
  const { prompt } = row.cells;
  const nano = record?.creditsNano;
  return {
    ...{ row, id: row.id, title: row.passthrough?.['x-title'] || row.id },
    ...{ kind: row.kind, model: modelOf(row), group: row.group ?? '', status: statusOf(line) },
    prompt: typeof prompt === 'string' ? prompt.slice(0, PROMPT_MAX) : '',
    reasonCode: record?.reasonCode ?? line.endedFor ?? '',
    reason: record?.reason ?? '',
    needsPerson: record !== undefined && needsPerson(record),
    credits: nano === undefined ? null : formatCredits(nano),
    attempts: record?.attempts ?? 0,
    files: [...filesOf(line)],
    submittedAtMs: record?.submittedAtMs ?? null,
    renderedAtMs: record?.renderedAtMs ?? null,
    finishedAtMs: record?.finishedAtMs ?? null,
  };
}
