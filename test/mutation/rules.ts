import { conformanceRows, patternOf } from '../support/conformance-rows.js';
import type { Mutation } from './mutations.js';
import { DOCUMENT_1_MUTATIONS } from './rules-document-1.js';
import { DOCUMENT_2_MUTATIONS } from './rules-document-2.js';
import { SERVICE_MUTATIONS } from './rules-service.js';
import { VENDOR_MUTATIONS } from './rules-vendors.js';
import type { RuleMutation } from './within.js';

/** What breaks each rule of docs/conformance.md. */
export const RULE_MUTATIONS: readonly RuleMutation[] = [
  ...SERVICE_MUTATIONS,
  ...DOCUMENT_1_MUTATIONS,
  ...DOCUMENT_2_MUTATIONS,
  ...VENDOR_MUTATIONS,
].sort((a, b) => a.row - b.row || a.proof - b.proof);

/** The same, each with the one test that its row names. */
export function ruleMutations(): Mutation[] {
  const rows = new Map(conformanceRows().map((row) => [row.number, row]));
  return RULE_MUTATIONS.map(({ row, edits, proof }) => {
    const named = rows.get(row)?.proofs[proof];
    if (named === undefined) throw new Error(`row ${row} has no proof ${proof}`);
    return { ids: [String(row)], edits, test: named.run, named: patternOf(named), title: named.title };
  });
}
