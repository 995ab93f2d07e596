import type { Edit } from './mutations.js';

/** What breaks the rule of one row of docs/conformance.md. */
export interface RuleMutation {
  row: number;
  edits: Edit[];
  /** Which of the row's proofs must turn red, from 0. */
  proof: number;
}

/** Rows that share a branch stand together; `proof` is the same for all, or by row. */
type Case = readonly [row: number | number[], take: string, give: string, proof?: number | Record<number, number>];

/** Mutations of one file: the row, the text that is taken away, what stands in its place, and the proof (0). */
export function within(file: string, cases: readonly Case[]): RuleMutation[] {
  return cases.flatMap(([rows, take, give, proof = 0]) =>
    [rows].flat().map((row) => ({
      row,
      edits: [{ file, take, give }],
      proof: typeof proof === 'number' ? proof : (proof[row] ?? 0),
    })),
  );
}
