import type { Json } from '../domain/json.js';

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

/** One record of the manifest with its filled cells, or the reason why it is none. */
export type RawRow =
  | { line: number; cells: Cell[]; positionOf(name: string): number | undefined }
  | { line: number; broken: { column: number; code: 'B6' | 'B60'; message: string } };

export const CELL_BYTES_MAX = 1024 * 1024;
/** A record larger than this is not taken into memory at all. */
export const RECORD_BYTES_MAX = 32 * 1024 * 1024;
