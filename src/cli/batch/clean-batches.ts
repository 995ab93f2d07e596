import { join } from 'node:path';
import { isS3Address } from '../../domain/s3.js';
import { findLeftovers, type Leftover } from '../../store/leftovers.js';
import { createPlaces } from '../../store/open-store.js';
import { findSpooled } from '../../store/spool.js';
import type { HomeAccess } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { readBatchState } from './batch-state.js';

/** Finds and removes what finished batches left behind. Media, results and records are never touched. */

export interface CleanReport {
  removed: Pick<Leftover, 'path' | 'bytes'>[];
  bytes: number;
  /** Batches that are not finished: a part there may be one that is being written. */
  skipped: string[];
}

/** In a home that others use as well, what was touched within the last hour may be under way. */
const QUIET_MS = 3_600_000;

export interface CleanRequest {
  /** Absolute folder of the home, or its `s3://` address. */
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
  const places = createPlaces({ settings: access.config.s3, environment: {} });
  const findBelow = (place: string, beforeMs: number, inputs: boolean) =>
    isS3Address(place) ? places.findBucketLeftovers(place, { beforeMs, inputs }) : findLeftovers(place, beforeMs);
  const below = (...names: string[]) => (isS3Address(home) ? [home, ...names].join('/') : join(home, ...names));
  await take(report, request, findSpooled(nowMs));
  for (const batch of request.batches) {
    const state = await readBatchState(access, work, batch);
    if (state !== undefined && state.state !== 'finished') {
      report.skipped.push(batch);
      continue;
    }
    // `out` is the batch's own folder; a batch that was checked and never run has none.
    if (state !== undefined) await take(report, request, findBelow(state.out, nowMs, true));
    await take(report, request, findBelow(below(account, 'batches', batch), nowMs - QUIET_MS, false));
  }
  for (const part of ['open', 'balance', 'book', 'media', 'inputs']) {
    await take(report, request, findBelow(below(account, part), nowMs - QUIET_MS, false));
  }
  return report;
}

async function take(
  report: CleanReport,
  { isDryRun }: CleanRequest,
  leftovers: AsyncIterable<Leftover>,
): Promise<void> {
  for await (const { path, bytes, remove } of leftovers) {
    if (!isDryRun) await remove();
    report.removed.push({ path, bytes });
    report.bytes += bytes;
  }
}
