import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../domain/kind.js';
import { formatCredits } from '../domain/money.js';
import { needsPerson, type OutputFile, sharedFrom } from '../domain/outcome.js';
import { fedMedia } from '../domain/row.js';
import { modelOf } from '../manifest/columns.js';
import { filesOf, flagsOf, type ResultLine, statusOf } from '../manifest/result-fields.js';
import { type FailureGroup, groupFailures } from '../report/tallies.js';
import type { PageRow } from './answers.js';

/** The rows of one batch as they stood at one moment. */
export interface BatchRows {
  rows: PageRow[];
  failures: FailureGroup[];
  /** Output files by their names: nothing else of the batch's folder is served. */
  files: ReadonlyMap<string, OutputFile>;
  /** The manifest that they are of, or one before where it was edited just then. */
  generation: string | undefined;
  readAtMs: number;
}

const PROMPT_MAX = 300;
const BATCHES_MAX = 8;
const FRESH_MS = 1_000;
/** A batch that takes long to read is read less often. */
const REST = 10;
/** A question is not kept waiting for a pass that takes longer. */
const PATIENCE_MS = 1_000;
const AT_ONCE_MS = 300;
const NONE: readonly never[] = [];

export interface RowsReader {
  /** Of a page that asks while a long pass goes on, what was read last. */
  all(batch: string): Promise<BatchRows>;
  /** The same where it is there at once, nearly; else undefined, and the pass goes on. */
  atOnce(batch: string): Promise<BatchRows | undefined>;
  /** Questions are answered from an earlier reading while a newer one is under way: to be asked again soon. */
  isBehind(batch: string): boolean;
}

interface RowsSource {
  generation(batch: string): Promise<string | undefined>;
  lines(batch: string): AsyncIterable<ResultLine>;
}

/** The rows of batches, read by one pass at a time however many pages ask. */
export function createRowsReader(source: RowsSource, now: () => number): RowsReader {
  const kept = new Map<string, { rows: BatchRows; tookMs: number }>();
  const passes = new Map<string, Promise<BatchRows>>();
  const pass = async (batch: string): Promise<BatchRows> => {
    const beganAtMs = now();
    const generation = await source.generation(batch);
    const rows = { ...(await gather(source.lines(batch))), generation, readAtMs: beganAtMs };
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
  const all = async (batch: string): Promise<BatchRows> => {
    const last = kept.get(batch);
    if (last === undefined) return begin(batch);
    if (now() - last.rows.readAtMs < Math.max(FRESH_MS, last.tookMs * REST)) return last.rows;
    const fresh = begin(batch);
    if (last.tookMs < PATIENCE_MS) return fresh;
    // Whoever waits for the next pass is told of its failure.
    fresh.catch(() => undefined);
    return last.rows;
  };
  return {
    all,
    atOnce: (batch) => Promise.race([all(batch), sleep(AT_ONCE_MS, undefined, { ref: false })]),
    isBehind: (batch) => passes.has(batch) && kept.has(batch),
  };
}

/** The rows of one page of the manifest's order, read by themselves. */
export async function readSlice(
  lines: AsyncIterable<ResultLine>,
  { offset, limit }: { offset: number; limit: number },
): Promise<PageRow[]> {
  const rows: PageRow[] = [];
  let at = 0;
  for await (const line of lines) {
    if (line.removed) continue;
    if (at >= offset) rows.push(pageRow(line, String));
    at += 1;
    if (rows.length === limit) break;
  }
  return rows;
}

async function gather(lines: AsyncIterable<ResultLine>): Promise<Pick<BatchRows, 'rows' | 'files' | 'failures'>> {
  const rows: PageRow[] = [];
  const files = new Map<string, OutputFile>();
  const failures = groupFailures();
  const words = new Map<string, string>();
  // Each line brings its own copy of what many rows have in common.
  const once = (word: string): string => {
    const known = words.get(word) ?? word;
    words.set(word, known);
    return known;
  };
  const skipped = new Set<number>();
  for await (const line of lines) {
    if (line.removed) continue;
    if (statusOf(line) === 'skipped') skipped.add(line.row.index);
    rows.push(pageRow(line, once, skipped));
    for (const file of filesOf(line)) files.set(file.file, file);
    const { record, ended, endedFor, row } = line;
    if (record !== undefined && record.status !== 'done') failures.add(record);
    else if (ended !== undefined) failures.add({ id: row.id, status: ended, reasonCode: endedFor });
  }
  return { rows, files, failures: failures.groups().reverse() };
}

/** Written out as one literal: objects that are spread together take twice the memory and the time. */
function pageRow(line: ResultLine, once: (word: string) => string, skipped?: ReadonlySet<number>): PageRow {
  const { row, record } = line;
  const { prompt } = row.cells;
  const nano = record?.creditsNano;
  const files = filesOf(line);
  const fed = fedMedia(row);
  const flags = flagsOf(line);
  return {
    index: row.index,
    id: row.id,
    title: row.passthrough?.['x-title'] || row.id,
    kind: once(row.kind) as Kind,
    model: once(modelOf(row)),
    group: once(row.group ?? ''),
    prompt: typeof prompt === 'string' ? prompt.slice(0, PROMPT_MAX) : '',
    status: statusOf(line),
    reasonCode: record?.reasonCode ?? line.endedFor ?? '',
    reason: once(record?.reason ?? line.endedText ?? ''),
    flags: flags.length > 0 ? flags : NONE,
    needsPerson: record !== undefined && needsPerson(record),
    credits: nano === undefined ? null : once(formatCredits(nano)),
    attempts: record?.attempts ?? 0,
    files: files.length > 0 ? files : NONE,
    fed: fed.length > 0 ? fed.map(({ id, at }) => ({ id, at })) : NONE,
    isShared: isShared(line, skipped),
    submittedAtMs: record?.submittedAtMs ?? null,
    renderedAtMs: record?.renderedAtMs ?? null,
    finishedAtMs: record?.finishedAtMs ?? null,
  };
}

/** `skipped`: rows by index that have nothing to share. What would share a render and was paid by itself is no copy. */
function isShared({ row: { shares }, record }: ResultLine, skipped?: ReadonlySet<number>): boolean {
  if (shares === undefined || skipped?.has(shares)) return false;
  return record?.status !== 'done' || sharedFrom(record) !== undefined;
}
