import type { Row } from '../domain/row.js';
import { createLineIndex } from './line-index.js';

/** Finds rows that ask for the same as an earlier one, so that they are rendered once; bounded memory. */
export interface IdenticalRows {
  /** Sets `shares` on a row that repeats an earlier one. */
  mark(row: Row): void;
}

/** With an explicit seed the same request gives the same result; without one only the user can say that one will do. */
export function createIdenticalRows(includesUnseeded: boolean): IdenticalRows {
  const first = createLineIndex();
  return {
    mark(row) {
      if (!includesUnseeded && row.cells.seed === undefined) return;
      // The index keeps numbers from 1 on.
      const earlier = first.add(row.hash, row.index + 1);
      if (earlier !== undefined) row.shares = earlier - 1;
    },
  };
}
