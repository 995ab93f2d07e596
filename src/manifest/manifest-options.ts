import type { Kind } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import type { MediaBlob } from './media/media-reader.js';
import type { S3MediaOptions, UrlProbing } from './media/remote-media.js';
import type { Problem } from './problem.js';
import type { ManifestSource } from './read-manifest.js';
import type { Chains } from './references/chains.js';

/** The cells of a row as they stand in the manifest, by column, only filled ones; always with `kind`. */
export type RawCells = Record<string, string>;

export interface ManifestOptions {
  source: ManifestSource;
  /** By the file name when absent; CSV for standard input. */
  format?: 'csv' | 'jsonl';
  delimiter?: string;
  /** For rows without a kind of their own. */
  defaultKind?: Kind;
  /** Folders besides the manifest's own, and `s3://bucket/prefix` addresses, from which media may be read. */
  inputRoots?: string[];
  /** Places that earlier batches of the account wrote to: media may be read from them too. */
  earlierOuts?: () => Promise<readonly string[]>;
  /**
   * Whether bytes were an input of the account before: a file that holds them may lie anywhere, as the ones that
   * failed.csv names by their absolute paths.
   */
  isKnownInput?: (sha256: string) => Promise<boolean>;
  /** `{id}` when absent; above 1,000 rows `{part}/{id}`. */
  nameTemplate?: string;
  /** A JSON file is written beside each output. */
  hasSidecars?: boolean;
  /** How long an output's name may be, its folders included, without an extension; any length when absent. */
  nameCharactersMax?: number;
  /** The day that `{date}` shows, as 2026-01-31; today (UTC) when absent. */
  date?: string;
  /** The base URL is loopback: loopback media are in order. */
  allowLoopback?: boolean;
  /** Local media for fields that take URLs only can be uploaded before the submit. */
  hasUploadStore?: boolean;
  /** Frames of films can be taken where the rows are run; asked once, when a row needs one. */
  canTakeFrames?: () => Promise<boolean>;
  /** The URL that the service gives for an output lives long enough to be named by a row that it feeds. */
  urlCovers?: (feeder: Kind, fed: Pick<Row, 'kind' | 'cells' | 'media'>) => boolean;
  /** Also rows without an explicit seed share one render when their requests are the same. */
  shareIdentical?: boolean;
  /** How `s3://bucket/key` media are looked at; without it they are refused. */
  s3Media?: S3MediaOptions;
  /** Resolve the hosts of media URLs (default true). */
  resolveHosts?: boolean;
  /** How many problems and warnings the summary keeps; 100 when absent. */
  problemLimit?: number;
  /** Told every problem, also those that the summary does not keep. */
  onProblem?: (problem: Problem) => void;
  /** Given every good row in the manifest's order, awaited. Rows with problems are not passed. */
  onRow?: (row: Row, raw: RawCells) => Promise<void> | void;
  /** Given the bytes of local and `data:` media, once per content, before the row that holds them is passed. */
  keepBlob?: (blob: MediaBlob) => Promise<void>;
  /**
   * The voices of the account, asked for when a row names one; undefined when they cannot be known, and then no voice
   * is a problem.
   */
  voices?: (named: string) => Promise<ReadonlySet<string> | undefined>;
  /** Looks at the beginning of a media URL; without it only the form and the host of URLs are checked. */
  probeUrl?: UrlProbing;
}

/** What a whole manifest is. It is valid when `problemCount` is 0. */
export interface ManifestSummary {
  rows: number;
  /** The first ones, in the manifest's order. */
  problems: Problem[];
  problemCount: number;
  warnings: Problem[];
  warningCount: number;
  /** Defaults that cost more than need be, and how many rows rely on each. */
  costNotes: { kind: Kind; note: string; rows: number }[];
  /** The manifest's columns in order (JSONL: as first met). */
  columns: string[];
  /** The `x-…` columns among them. */
  passthroughColumns: string[];
  /** Those of them that hold JSONL's numbers, booleans, lists and objects alone, no text. */
  nativeColumns: string[];
  byKind: Partial<Record<Kind, number>>;
  /** Rows per group label; rows without one are not in it. */
  groups: Record<string, number>;
  /** The rows that feed rows. */
  chains: Chains;
}
