import { Context } from '@temporalio/activity';
import type { FinishInput } from '../contract/activities.js';
import { StoreError } from '../store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { endRow } from './record.js';
import { writeBatchResults } from './result-files.js';

const HEARTBEAT_MS = 5_000;

export interface ResultActivities {
  /** Writes the record of a row that ended without a download, and tells the batch. */
  finishRow(input: FinishInput): Promise<void>;
  /** Assembles results.csv, results.jsonl and failed.csv of a batch, each replaced whole. */
  writeResults(input: { batch: string; generation: string }): Promise<void>;
}

export function resultActivities(deps: Dependencies): ResultActivities {
  return {
    finishRow: ({ row, status, reason }) =>
      withRecords(() => endRow(deps, row, { status, ...(reason ? { reason } : {}) })),

    async writeResults({ batch, generation }) {
      const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
      try {
        await writeBatchResults(deps, batch, generation);
      } catch (error) {
        if (error instanceof StoreError) throw tryAgain('output.unavailable', error.code);
        throw error;
      } finally {
        clearInterval(beat);
      }
    },
  };
}
