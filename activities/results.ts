import type { FinishInput } from '../src/contract/pages.js';
import type { BatchTally, StopReason } from '../src/domain/batch.js';
import { defined } from '../src/domain/defined.js';
import { safeText } from '../src/domain/secret.js';
import { isCancelledBatch, stoppedLast } from '../src/home/batch-marks.js';
import type { ReportRows } from '../src/report/collect.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { collectedRows, storeReport, writeBatchResults } from './files/result-files.js';
import { withHeartbeat } from './heartbeat.js';
import { markHome } from './row/home-marks.js';
import { endDamaged, endRow } from './row/record.js';

export interface ResultActivities {
  /** Writes the record of a row that ended without a download, and tells the batch. */
  finishRow(input: FinishInput): Promise<void>;
  /** Assembles results.csv, results.jsonl and failed.csv of a batch, each replaced whole, and counts its rows. */
  writeResults(input: { batch: string; generation: string }): Promise<BatchTally>;
  /** The same for a batch that has ended and of which a row came right afterwards; one that runs does it itself. */
  rewriteResults(input: { batch: string }): Promise<void>;
}

export function resultActivities(deps: Dependencies): ResultActivities {
  return {
    finishRow: ({ row, status, n, reason, text }) =>
      withRecords(async () => {
        if (reason === 'record_damaged') return endDamaged(deps, row);
        const stopped = status === 'cancelled' ? await stoppedFor(deps, row.batch) : undefined;
        const why = stopped ? { reason: stopped } : defined({ reason, text });
        await endRow(deps, row, { status: stopped ? 'not_started' : status, ...why, ...defined({ n }) });
      }),

    writeResults: ({ batch, generation }) =>
      withHeartbeat(async () => {
        // Nobody tells a batch of a manifest that has nothing for it to run.
        const inForce = await withRecords(() => deps.rows.certainGeneration(batch));
        const tellBlocked = (code: string) => deps.messenger.outputBlocked(batch, { id: null, code });
        return write(deps, batch, inForce ?? generation, tellBlocked);
      }),

    async rewriteResults({ batch }) {
      if (await deps.messenger.isBatchOpen(batch)) return;
      const generation = await withRecords(() => deps.rows.currentGeneration(batch));
      // A run that has begun meanwhile is not told: only its own results, which come last, would let it go on.
      if (generation !== undefined) await withHeartbeat(() => write(deps, batch, generation));
    },
  };
}

async function write(
  deps: Dependencies,
  batch: string,
  generation: string,
  tellBlocked: (code: string) => Promise<void> = async () => undefined,
): Promise<BatchTally> {
  try {
    const rows = collectedRows(deps, batch);
    const tally = await writeBatchResults(deps, batch, generation, [rows.collect]);
    await markHome(deps, batch);
    await report(deps, batch, rows.collected());
    return tally;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code } = error;
    deps.log.warn({ batch, code }, 'the results cannot be written; it is tried again');
    await tellBlocked(code);
    throw tryAgain('output.unavailable', code);
  }
}

/** A batch ends without its report where it cannot be made; where it cannot be stored, the results cannot be either. */
async function report(deps: Dependencies, batch: string, rows: ReportRows): Promise<void> {
  try {
    await storeReport(deps, batch, rows, { isPublic: false });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { name, message } = error as Error;
    deps.log.error(
      { batch, name, message: safeText(message) },
      'the report cannot be made; `callsheet report` tries again',
    );
  }
}

/** A job that was asked to end because its batch stopped by itself was not cancelled by anybody. */
async function stoppedFor({ home }: Dependencies, batch: string): Promise<StopReason | undefined> {
  return (await isCancelledBatch(home, batch)) ? undefined : stoppedLast(home, batch);
}
