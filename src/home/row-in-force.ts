import type { RowRef } from '../contract/workflows.js';
import type { Row } from '../domain/row.js';
import type { Rows } from './rows.js';

/** A row as the manifest that its batch runs now has it: it may have been edited since the row's job was started. */

/** How many parts to either side of its old place a row is looked for: edits move rows little. */
const PARTS_AROUND = 4;

export interface RowInForce {
  ref: RowRef;
  row: Row;
}

/** Undefined when the row is not in that manifest any more, as far as it is looked for. */
export async function rowInForce(rows: Rows, own: RowInForce): Promise<RowInForce | undefined> {
  const { batch, generation, part, id } = own.ref;
  const current = await rows.certainGeneration(batch);
  if (current === undefined || current === generation) return own;
  const count = (await rows.generation(batch, current))?.parts.length;
  if (count === undefined) return own;
  for (const near of partsAround(part, count)) {
    const found = (await rows.readPart(batch, current, near)).find(({ row }) => row.id === id)?.row;
    if (found) return { row: found, ref: { ...own.ref, generation: current, part: near, index: found.index } };
  }
  return undefined;
}

/** The part itself first, then its neighbours by distance. Pure. */
function partsAround(part: number, count: number): number[] {
  const near = Array.from({ length: count }, (_, one) => one).filter((one) => Math.abs(one - part) <= PARTS_AROUND);
  return near.sort((a, b) => Math.abs(a - part) - Math.abs(b - part));
}
