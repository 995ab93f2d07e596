import type { ReasonCode } from '../domain/failure.js';
import type { Json } from '../domain/json.js';
import { formatCredits } from '../domain/money.js';
import type { LiveWord, OutputFile, RowRecord, Status } from '../domain/outcome.js';
import { fedMedia, type Row } from '../domain/row.js';
import { modelOf } from './columns.js';
import type { RawCells } from './manifest-options.js';

/**
 * One row of the results. `record` when the row has ended; else `live` while it is under way, or `ended` when it never
 * started and its batch has ended.
 */
export interface ResultLine {
  row: Row;
  record?: RowRecord;
  live?: LiveWord;
  /** The output that an open row had before it was ordered anew; it stands until the new one is whole. */
  earlierFiles?: readonly OutputFile[];
  ended?: Status;
  /** Why it never started. */
  endedFor?: ReasonCode;
  /** Why it never started, or what it waits for, in words. */
  endedText?: string;
  /** What feeds a row that is to be run again, by id: the file, or nothing for a row that is run again too. */
  feeds?: Readonly<Record<string, string | null>>;
  /** A row that feeds it has no output and is not run again: nothing could feed it in a manifest without that row. */
  isOrphan?: true;
  /** What feeds it was rendered again since. */
  isStale?: true;
  /** The row left the manifest after an attempt was made. */
  removed?: true;
  originalCells: RawCells;
}

/** The columns of results.csv and the fields of results.jsonl, in order; the `x-…` columns follow. */
export const RESULT_COLUMNS = [
  'id',
  'kind',
  'model',
  'group',
  'status',
  'reason_code',
  'reason',
  'flags',
  'warnings',
  'attempts',
  'file',
  'files',
  'content_type',
  'bytes',
  'sha256',
  'width',
  'height',
  'duration_s',
  'frames',
  'frame_rate',
  'seed',
  'revised_prompt',
  'usage',
  'credits',
  'credits_basis',
  'handle',
  'inputs',
  'reused_from',
  'settled_together',
  'submitted_at',
  'rendered_at',
  'finished_at',
] as const;

export type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** A plain decimal, so that no number of credits is ever written with an exponent. */
export class Decimal {
  constructor(readonly text: string) {}
}

/** The values of one line by column; null where nothing is known. Lists stay lists: each writer has its own form. */
export type ResultFields = Record<ResultColumn, Json | Decimal>;

/** The status of a row, or its live word while it is open. */
export function statusOf({ record, live, ended }: ResultLine): Status | LiveWord {
  return record?.status ?? live ?? ended ?? 'not_started';
}

/** The output of a row; while it is rendered again, the one that it had before. */
export function filesOf({ record, earlierFiles }: ResultLine): readonly OutputFile[] {
  return record?.files ?? earlierFiles ?? [];
}

export function resultFields(line: ResultLine): ResultFields {
  const { row, record } = line;
  const files = filesOf(line);
  return {
    id: row.id,
    kind: row.kind,
    model: modelOf(row) || null,
    group: row.group ?? null,
    status: statusOf(line),
    reason_code: record?.reasonCode ?? line.endedFor ?? null,
    reason: record?.reason ?? line.endedText ?? null,
    flags: [...(record?.flags ?? []), ...(line.removed ? ['removed'] : []), ...(line.isStale ? ['stale_input'] : [])],
    warnings: record?.warnings ?? [],
    attempts: record?.attempts ?? (line.live === undefined ? 0 : null),
    ...fileFields(files[0]),
    files: files.map(fileObject),
    seed: record?.seed ?? null,
    revised_prompt: record?.revisedPrompt ?? null,
    usage: record?.usage ?? null,
    credits: creditsOf(line),
    credits_basis: record?.creditsBasis ?? null,
    handle: record?.handle ?? null,
    inputs: [...new Set(fedMedia(row).map(({ id }) => id))],
    reused_from: record?.reusedFrom ?? null,
    settled_together: record?.settledTogether ?? null,
    submitted_at: timeOf(record?.submittedAtMs),
    rendered_at: timeOf(record?.renderedAtMs),
    // A damaged record does not say when.
    finished_at: timeOf(record?.finishedAtMs || undefined),
  };
}

/** A row that never started has cost nothing; of an open one nothing is known yet. */
function creditsOf({ record, live }: ResultLine): Decimal | null {
  if (record === undefined) return live === undefined ? new Decimal('0') : null;
  return record.creditsNano === undefined ? null : new Decimal(formatCredits(record.creditsNano));
}

function fileFields(file: OutputFile | undefined) {
  return {
    file: file?.file ?? null,
    content_type: file?.contentType ?? null,
    bytes: file?.bytes ?? null,
    sha256: file?.sha256 ?? null,
    width: file?.width ?? null,
    height: file?.height ?? null,
    duration_s: file?.durationSeconds ?? null,
    frames: file?.frames ?? null,
    frame_rate: file?.frameRate ?? null,
  };
}

/** One file as it stands in `files`, without what is not known. */
function fileObject(file: OutputFile): Json {
  return Object.fromEntries(Object.entries(fileFields(file)).filter(([, value]) => value !== null));
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
