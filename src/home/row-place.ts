import type { StoredRow } from './row-schema.js';
import type { Rows } from './rows.js';

/** Where a row lies in its generation, and what stands there. */
export interface PlacedRow {
  part: number;
  stored: StoredRow;
}

/** A row by its index alone; undefined where the generation has no such row. */
export async function rowAt(
  rows: Rows,
  batch: string,
  generation: string,
  index: number,
): Promise<PlacedRow | undefined> {
  const part = partOf((await rows.generation(batch, generation))?.parts ?? [], index);
  if (part === undefined) return undefined;
  return { part, stored: await rows.readRow(batch, generation, part, index) };
}

function partOf(parts: readonly { rows: number }[], index: number): number | undefined {
  let before = 0;
  for (const [part, { rows }] of parts.entries()) {
    if (index < before + rows) return part;
    before += rows;
  }
  return undefined;
}
