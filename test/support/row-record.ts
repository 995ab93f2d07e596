import type { RowRecord } from '../../src/domain/outcome.js';

/** The record of a row that was rendered and has no file; a test changes what it is about. */
export function rowRecord(over: Partial<RowRecord> = {}): RowRecord {
  return {
    schema: 1,
    id: 'a',
    kind: 'svc/image',
    status: 'done',
    flags: [],
    warnings: [],
    attempts: 1,
    files: [],
    creditsBasis: 'unknown',
    finishedAtMs: 5,
    rowHash: 'h',
    ...over,
  };
}
