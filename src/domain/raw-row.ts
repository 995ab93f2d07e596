import type { Json } from './json.js';
import type { ProblemCode } from './problem-code.js';

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
  /** The header has no id column, which was said once. */
  lacksIdColumn?: boolean;
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
