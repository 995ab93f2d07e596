import { defined } from '../domain/defined.js';
import type { ReasonCode } from '../domain/failure.js';
import type { Json } from '../domain/json.js';
import { type CreditsNano, formatCredits } from '../domain/money.js';
import type { Flag, LiveWord, OutputFile, RowRecord, Status } from '../domain/outcome.js';
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
  /** What an open row has cost before it was ordered anew. */
  spentNano?: CreditsNano;
  ended?: Status;
  /** Why it never started. */
  endedFor?: ReasonCode;
  /** Why it never started, or what it waits for, in words. */
  endedText?: string;
  /** The row that feeds it and has not brought its output. */
  waitsFor?: string;
  /** What feeds a row that is to be run again, by id: the file, or nothing for a row that is run again too. */
  feeds?: Readonly<Record<string, string | null>>;
  /** Its cells with what the files that feed it say: the length of a driver clip. */
  fedCells?: Row['cells'];
  /**
   * Nothing could feed it in a manifest without the row that feeds it: that one has no output and is not run again, or its
   * file cannot be named in a column that takes URLs alone.
   */
  isOrphan?: true;
  /** What feeds it was rendered again since. */
  isStale?: true;
  /** The row left the manifest after an attempt was made. */
  removed?: true;
  originalCells: RawCells;
}

/** A plain decimal, so that no number of credits is ever written with an exponent. */
export class Decimal {
  constructor(readonly text: string) {}
}

/** The status of a row, or its live word while it is open. */
export function statusOf({ record, live, ended }: ResultLine): Status | LiveWord {
  return record?.status ?? live ?? ended ?? 'not_started';
}

/** The output of a row; while it is rendered again, the one that it had before. */
export function filesOf({ record, earlierFiles }: ResultLine): readonly OutputFile[] {
  return record?.files ?? earlierFiles ?? [];
}

/** What is said of its end beside the status, also where that depends on more than the row. */
export function flagsOf({ record, removed, isStale }: ResultLine): Flag[] {
  const flags = [...(record?.flags ?? [])];
  if (removed) flags.push('removed');
  if (isStale) flags.push('stale_input');
  return flags;
}

type FileField = (file: OutputFile) => Json | undefined;

/** What is said of the first file in columns of their own, and of every file in `files`. */
const FILE_FIELDS = {
  content_type: ({ contentType }) => contentType,
  bytes: ({ bytes }) => bytes,
  sha256: ({ sha256 }) => sha256,
  width: ({ width }) => width,
  height: ({ height }) => height,
  duration_s: ({ durationSeconds }) => durationSeconds,
  frames: ({ frames }) => frames,
  frame_rate: ({ frameRate }) => frameRate,
} satisfies Record<string, FileField>;

type Field = (line: ResultLine) => Json | Decimal | undefined;

/** The columns of results.csv and the fields of results.jsonl, in order; the `x-…` columns follow. */
const FIELDS = {
  id: ({ row }) => row.id,
  kind: ({ row }) => row.kind,
  model: ({ row }) => modelOf(row) || null,
  group: ({ row }) => row.group,
  status: statusOf,
  reason_code: ({ record, endedFor }) => record?.reasonCode ?? endedFor,
  reason: ({ record, endedText }) => record?.reason ?? endedText,
  flags: flagsOf,
  warnings: ({ record }) => record?.warnings ?? [],
  attempts: ({ record, live }) => record?.attempts ?? (live === undefined ? 0 : null),
  file: (line) => filesOf(line)[0]?.file,
  files: (line) => filesOf(line).map(fileObject),
  ...(Object.fromEntries(
    Object.entries<FileField>(FILE_FIELDS).map(([name, of]): [string, Field] => [
      name,
      (line) => {
        const [first] = filesOf(line);
        return first && of(first);
      },
    ]),
  ) as Record<keyof typeof FILE_FIELDS, Field>),
  seed: ({ record }) => record?.seed,
  revised_prompt: ({ record }) => record?.revisedPrompt,
  usage: ({ record }) => record?.usage,
  credits: creditsOf,
  credits_basis: ({ record }) => record?.creditsBasis,
  handle: ({ record }) => record?.handle,
  inputs: ({ row }) => [...new Set(fedMedia(row).map(({ id }) => id))],
  reused_from: ({ record }) => record?.reusedFrom,
  settled_together: ({ record }) => record?.settledTogether,
  submitted_at: ({ record }) => timeOf(record?.submittedAtMs),
  rendered_at: ({ record }) => timeOf(record?.renderedAtMs),
  // A damaged record does not say when.
  finished_at: ({ record }) => timeOf(record?.finishedAtMs || undefined),
} satisfies Record<string, Field>;

export type ResultColumn = keyof typeof FIELDS;
export const RESULT_COLUMNS = Object.keys(FIELDS) as ResultColumn[];

/** The values of one line; null where nothing is known. Lists stay lists: each writer has its own form. */
export function resultFields(line: ResultLine): Record<ResultColumn, Json | Decimal> {
  const fields = Object.entries<Field>(FIELDS).map(([column, of]) => [column, of(line) ?? null]);
  return Object.fromEntries(fields) as Record<ResultColumn, Json | Decimal>;
}

/** One file as it stands in `files`, without what is not known. */
function fileObject(file: OutputFile): Json {
  const facts = Object.entries<FileField>(FILE_FIELDS).map(([name, of]) => [name, of(file)]);
  return { file: file.file, ...defined(Object.fromEntries(facts)) };
}

/** A row that never started has cost no more than what it was before; of an open one nothing is known yet. */
function creditsOf({ record, live, spentNano = 0 }: ResultLine): Decimal | null {
  if (record === undefined) return live === undefined ? new Decimal(formatCredits(spentNano)) : null;
  return record.creditsNano === undefined ? null : new Decimal(formatCredits(record.creditsNano));
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
