import type { Kind } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { factsOf } from '../kinds/facts.js';
import { costNotesOf } from './columns.js';
import { createLineIndex } from './line-index.js';
import type { ManifestSummary } from './manifest-options.js';

/** Adds up a manifest's good rows. */
export interface ManifestTally {
  add(row: Row): void;
  totals(): Pick<ManifestSummary, 'byKind' | 'groups' | 'costNotes'>;
}

export function createManifestTally(): ManifestTally {
  const kinds = new Map<Kind, number>();
  const groups = new Map<string, number>();
  const notes = new Map<string, { kind: Kind; note: string; rows: number }>();
  return {
    add(row) {
      kinds.set(row.kind, (kinds.get(row.kind) ?? 0) + 1);
      if (row.group !== undefined) groups.set(row.group, (groups.get(row.group) ?? 0) + 1);
      for (const note of costNotesOf(row)) {
        const known = notes.get(`${row.kind} ${note}`);
        if (known === undefined) notes.set(`${row.kind} ${note}`, { kind: row.kind, note, rows: 1 });
        else known.rows += 1;
      }
    },
    totals: () => ({
      byKind: Object.fromEntries(kinds),
      groups: Object.fromEntries(groups),
      costNotes: [...notes.values()],
    }),
  };
}

/** Finds rows that ask for the same as an earlier one, so that they are rendered once; bounded memory. */
export interface IdenticalRows {
  /** Sets `shares` on a row that repeats an earlier one. */
  mark(row: Row): void;
}

/** Where the same request is not sure to give the same result again, only the user can say that one will do. */
export function createIdenticalRows(includesUnsure: boolean): IdenticalRows {
  const first = createLineIndex();
  return {
    mark(row) {
      if (!includesUnsure && !givesTheSame(row)) return;
      // The index keeps numbers from 1 on.
      const earlier = first.add(row.hash, row.index + 1);
      if (earlier !== undefined) row.shares = earlier - 1;
    },
  };
}

/** An explicit seed fixes the result, but for what its kind says of itself. */
function givesTheSame({ kind, cells }: Row): boolean {
  return cells.seed !== undefined && factsOf(kind).variesDespiteSeed?.(cells) !== true;
}
