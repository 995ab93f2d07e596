import type { RowRecord } from '../domain/outcome.js';
import { KINDS } from '../kinds/facts.js';
import type { StoredRow } from './row-schema.js';

/** What stands in for the documents of a row that cannot be read: the row needs a person and nothing is sent for it. */

/** The record of a row whose own record cannot be read. It may have been paid. */
export function damagedRecord(id: string): RowRecord {
  return {
    schema: 1,
    id,
    kind: KINDS[0],
    status: 'review',
    reasonCode: 'record_damaged',
    reason: 'the record of this row in the home cannot be read',
    flags: [],
    warnings: [],
    attempts: 1,
    files: [],
    creditsBasis: 'unknown',
    finishedAtMs: 0,
    rowHash: '',
  };
}

/** A row of a manifest whose line in the home cannot be read: not even its id is known. */
export function damagedRow(index: number): StoredRow {
  const id = `damaged-row-${index}`;
  const row = { index, line: 0, id, kind: KINDS[0], stem: id, cells: {}, media: {}, hash: '' };
  return { row, raw: {}, isDamaged: true };
}
