import { join } from 'node:path';
import { findLeftovers, type Leftover, removeLeftover } from '../../store/leftovers.js';
import type { HomeAccess } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { readBatchState } from './batch-state.js';

/** Finds and removes what finished batches left behind. Media, results and records are never touched. */

export interface CleanReport {
  removed: Leftover[];
  bytes: number;
  /** Batches that are not finished: a part there may be one that is being written. */
  skipped: string[];
}

/** In a home that others use as well, what was touched within the last hour may be under way. */
const QUIET_MS = 3_600_000;

export interface CleanRequest {
  /** Absolute folder of the home. */
  home: string;
  account: string;
  batches: readonly string[];
  isDryRun: boolean;
  nowMs: number;
}

export async function cleanBatches(
  access: HomeAccess,
  work: WorkAccess | undefined,
  request: CleanRequest,
): Promise<CleanReport> {
  const report: CleanReport = { removed: [], bytes: 0, skipped: [] };
  const { home, account, nowMs } = request;
  for (const batch of request.batches) {
    const state = await readBatchState(access, work, batch);
    if (state !== undefined && state.state !== 'finished') {
      report.skipped.push(batch);
      continue;
    }
    // `out` is the batch's own folder; a batch that was checked and never run has none.
    if (state !== undefined) await take(report, request, state.out, nowMs);
    await take(report, request, join(home, account, 'batches', batch), nowMs - QUIET_MS);
  }
  for (const part of ['open', 'balance', 'book', 'media', 'inputs']) {
    await take(report, request, join(home, account, part), nowMs - QUIET_MS);
  }
  return report;
}

/** A bucket keeps nothing that is not finished: its store aborts uploads that broke off. */
async function take(report: CleanReport, request: CleanRequest, folder: string, beforeMs: number): Promise<void> {
  if (folder.includes('s3:/')) return;
  for await (const leftover of findLeftovers(folder, beforeMs)) {
    if (!request.isDryRun) await removeLeftover(leftover);
    report.removed.push(leftover);
    report.bytes += leftover.bytes;
  }
}
