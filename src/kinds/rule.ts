import type { Json, JsonObject } from '../domain/json.js';
import type { Kind } from '../domain/kind.js';
import type { MediaFacts, MediaSort } from '../domain/media-type.js';
import type { Cell, ProblemCode } from '../domain/raw-row.js';
import type { Media } from '../domain/row.js';

/** What every column of a kind says of itself. `code` is the number of the message when the value is refused. */
interface ColumnBase {
  name: string;
  /** Without it the row is refused; kinds with "one of" rules check those across columns. */
  required?: boolean;
  /** Not required where another row feeds this column: its file then says it. */
  unlessFed?: string;
  /** The service ignores it where this column is filled: its limits do not hold then. */
  ignoredWith?: string;
  /** What is said when a required cell is empty; B59 and `<name> is required` otherwise. */
  missing?: { code: ProblemCode; message: string };
  code?: ProblemCode;
  /** One sentence for `callsheet kinds`. */
  help: string;
}

export interface TextColumn extends ColumnBase {
  type: 'text';
  /** Counted in Unicode characters. */
  maxCharacters?: number;
}
export interface ChoiceColumn extends ColumnBase {
  type: 'choice';
  choices: readonly string[];
}
export interface NumberColumn extends ColumnBase {
  type: 'integer' | 'decimal';
  min?: number;
  max?: number;
  /** Closed list instead of a range. */
  allowed?: readonly number[];
  /** Stands behind the range in the message: ` seconds`. */
  unit?: string;
  /** The documents send it as a string, so JSONL may write one as well. */
  sentAs?: 'string';
  /** The code when the text is no number at all; B16 if absent. */
  malformedCode?: ProblemCode;
}
export interface BooleanColumn extends ColumnBase {
  type: 'boolean';
}
export interface JsonColumn extends ColumnBase {
  type: 'json';
  shape: 'object' | 'list';
}
export interface MediaColumn extends ColumnBase {
  type: 'media';
  /** A list column; otherwise exactly one item. */
  many?: boolean;
  media: MediaRule;
}
export type Column = TextColumn | ChoiceColumn | NumberColumn | BooleanColumn | JsonColumn | MediaColumn;

/** What the documents say of the media of one column. Absent limits are not documented. */
export interface MediaRule {
  sort: MediaSort;
  /** The sort follows another column instead. */
  sortBy?: { column: string; sorts: Readonly<Record<string, MediaSort>> };
  /** The documents say that media of another sort are taken without a word and do nothing. */
  otherSorts?: 'ignored';
  /** The media types that are taken; any of the sort when absent. */
  types?: readonly string[];
  /** Which URLs are taken. */
  url: 'https' | 'http-or-https';
  /**
   * `bytes`: the endpoint also takes bytes inline. `url-only`: local files need an upload store.
   * `bytes-only`: URLs are fetched by callsheet before the submit.
   */
  inline: 'bytes' | 'url-only' | 'bytes-only';
  /** The service does not follow redirects of such a URL. */
  redirects?: 'refused';
  maxBytes?: number;
  /** The documents say "under", so the limit itself is too much. */
  belowBytes?: number;
  minSide?: number;
  maxSide?: number;
  minShortSide?: number;
  /** Longer side over shorter side. */
  maxRatio?: number;
  /** Width over height: nothing is said of tall images. */
  widestRatio?: number;
  transparency?: 'refused';
  minSeconds?: number;
  maxSeconds?: number;
}

/** A row while it is checked: filled cells by name, typed values, media counts. */
export interface DraftRow {
  line: number;
  id: string;
  kind: Kind;
  /** The row's model, or the one that the service takes without; empty where the kind has none. */
  model: string;
  /** Every filled cell that the kind takes, whether its value is good or not. */
  filled: Map<string, Cell>;
  /** The good values of columns that are no media. */
  cells: Record<string, Json>;
  /** What goes into the request beside the columns. */
  extra?: JsonObject;
  /** How many media items each media column has. */
  mediaCounts: Map<string, number>;
  /** Position of a column in the manifest, filled or not. */
  positionOf(name: string): number | undefined;
  bad: boolean;
}

/** Where checks put what they find; `field` names the column. */
export interface Report {
  problem(row: DraftRow, code: ProblemCode, field: string, message: string): void;
  warning(row: DraftRow, code: ProblemCode, field: string, message: string): void;
}

/** A rule over several columns: its sentence for people and its check. */
export interface Check {
  rule: string;
  check(row: DraftRow, report: Report): void;
}

/** A rule over what the bytes of local media showed. */
export interface MediaCheck {
  rule: string;
  check(row: DraftRow, facts: ReadonlyMap<string, MediaFacts[]>, report: Report): void;
}

/** The documented request fields of a kind: `true` = settled by the documents, an object = look inside. */
export type FieldTree = { readonly [field: string]: true | FieldTree };

/** What a note about costs looks at. */
export interface CostSubject {
  model: string;
  cells: Readonly<Record<string, Json>>;
  media: Readonly<Record<string, readonly Media[]>>;
}

/** Everything callsheet knows about one kind of row before the first request. */
export interface KindRules {
  /** Of the submit; `{model}` stands for the row's. */
  path: string;
  /** Where the rules are documented. */
  source: string;
  summary: string;
  columns: readonly Column[];
  checks?: readonly Check[];
  mediaChecks?: readonly MediaCheck[];
  documentedFields: FieldTree;
  /** Own codes for columns of other kinds that this one does not take; B25 otherwise. */
  refusedColumns?: Readonly<Record<string, { code: ProblemCode; message: string }>>;
  /** What codes mean that no other family has. */
  problems?: Readonly<Record<ProblemCode, string>>;
  /** Sentences about defaults that cost more than need be. */
  costNotes?(row: CostSubject): string[];
  /** Rows of the sample manifest, without id and kind. */
  samples: readonly Readonly<Record<string, string>>[];
}
