import type { Json } from './json.js';

/**
 * One filled cell as it stands in the manifest. `form` tells what JSONL gave natively; a CSV cell is `csv`, which may
 * be read as any type. `text` is the cell's text: for JSON numbers the digits as written, for lists and objects JSON.
 */
export interface Cell {
  name: string;
  /** 1-based cell number, or position of the field in JSONL. */
  column: number;
  form: 'csv' | 'string' | 'number' | 'boolean' | 'json';
  text: string;
  /** Only for form `json`. */
  value?: Json;
}

/** A problem before it knows its file and id. */
export interface Finding {
  line: number;
  column: number;
  code: ProblemCode;
  field?: string;
  message: string;
}

/** One record of the manifest with its filled, known cells; `findings` is what its form shows already. */
export interface RawRow {
  line: number;
  cells: ReadonlyMap<string, Cell>;
  /** Position of a column in the manifest, also when the row's cell is empty. */
  positionOf(name: string): number | undefined;
  findings: readonly Finding[];
  /** The record could not be taken apart: there is nothing to check in it. */
  isBroken?: boolean;
  /** Columns that the manifest lacks or misspells, which was said where they stand. */
  said?: ReadonlySet<string>;
}

export const CELL_BYTES_MAX = 1024 * 1024;
/** A record larger than this is not taken into memory at all. */
export const RECORD_BYTES_MAX = 32 * 1024 * 1024;

/** `cell is 10485760 bytes, limit 1 MiB`; undefined for cells within the limit. */
export function cellSizeFlaw(text: string): string | undefined {
  if (text.length * 3 <= CELL_BYTES_MAX) return undefined;
  const bytes = Buffer.byteLength(text);
  return bytes > CELL_BYTES_MAX ? `cell is ${bytes} bytes, limit 1 MiB` : undefined;
}

/**
 * What each problem code of a manifest means: the list behind the documentation and behind every `file:line:column:
 * CODE message`. B1-B55 are the numbers of the design's table of bad input; B57 and up continue it for rules that
 * the table does not name one by one.
 */
export const COMMON_PROBLEMS: Readonly<Record<ProblemCode, string>> = {
  B1: 'The manifest cannot be read.',
  B2: 'The manifest has no rows.',
  B3: 'The text is not valid UTF-8.',
  B4: 'The manifest holds binary data.',
  B5: 'A quote is never closed, or stands where none may stand.',
  B6: 'A row has more or fewer cells than the header.',
  B7: 'The manifest is separated by another character.',
  B8: 'A column or field appears twice.',
  B9: 'A column is unknown.',
  B10: 'A row has no id.',
  B11: 'An id is used twice.',
  B12: 'An id or a batch name breaks the naming rule.',
  B13: 'The model is unknown.',
  B14: 'Only one of width and height is given.',
  B16: 'A number is not written plainly.',
  B22: 'The service gives one output per request.',
  B25: 'A cell is filled that the kind or model of the row does not take.',
  B26: 'A text is longer than the documented limit.',
  B30: 'A data URI is broken.',
  B35: 'Frames and references are mixed.',
  B36: 'A media item that the family does not take, or too many references.',
  B40: 'A medium of the wrong sort for its column.',
  B44: 'A URL that cannot be used.',
  B45: 'A local file or its content breaks a limit.',
  B46: 'An output name leaves the folder, is unknown, or clashes with that of another row.',
  B55: 'A cell is larger than 1 MiB.',
  B57: 'The kind is missing or unknown.',
  B58: 'The value is not one of the allowed ones.',
  B59: 'A required cell is empty.',
  B60: 'JSON is broken or has the wrong type.',
  B61: 'The extra column names a field that the documents already settle.',
  B62: 'A number is outside its documented range.',
  B63: 'A value is taken, but does not do what it seems to.',
  B70: 'A reference names no row of the manifest, or no frame.',
  B71: 'Rows feed each other in a circle, or in a chain of more than 100.',
  B72: 'A row that cannot feed the column that refers to it.',
};

export type ProblemCode = `B${number}`;
