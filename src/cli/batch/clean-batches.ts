import { join } from 'node:path';
import { isS3Address } from '../../domain/s3.js';
import { findLeftovers, type Leftover } from '../../store/leftovers.js';
import { createPlaces } from '../../store/open-store.js';
import { findPassed } from '../../store/passing.js';
import type { HomeAccess } from '../access/home-access.js';
import type { Sights } from '../access/sights.js';
import { readBatchState } from './batch-state.js';

/** Finds and removes what finished batches left behind. Media, results and records are never touched. */

interface CleanReport {
  removed: Pick<Leftover, 'path' | 'bytes'>[];
  bytes: number;
  /** Batches that are not finished: a part there may be one that is being written. */
  skipped: string[];
}

/** In a home that others use as well, and of late downloads, what was touched within the last hour may be under way. */
const QUIET_MS = 3_600_000;

export async function cleanBatches(
  access: HomeAccess,
  sights: Sights | undefined,
  batches: readonly string[],
  isDryRun: boolean,
): Promise<CleanReport> {
  const report: CleanReport = { removed: [], bytes: 0, skipped: [] };
  const nowMs = Date.now();
  const { home, s3, onLongRequest } = access.config;
  const places = createPlaces({ settings: s3, environment: {} }, onLongRequest);

  async function take(leftovers: AsyncIterable<Leftover>): Promise<void> {
    for await (const { path, bytes, remove } of leftovers) {
      if (!isDryRun) await remove();
      report.removed.push({ path, bytes });
      report.bytes += bytes;
    }
  }

  async function takeBelow(place: string, beforeMs: number, inputs: boolean): Promise<void> {
    await take(
      isS3Address(place) ? places.findBucketLeftovers(place, { beforeMs, inputs }) : findLeftovers(place, beforeMs),
    );
  }

  async function takeOfHome(...names: string[]): Promise<void> {
    const whole = [access.home.account, ...names];
    await takeBelow(isS3Address(home) ? [home, ...whole].join('/') : join(home, ...whole), nowMs - QUIET_MS, false);
  }

  await take(findPassed(nowMs));
  for (const batch of batches) {
    const state = await readBatchState(access, sights, batch, (words) => words);
    if (state !== undefined && state.state !== 'finished') {
      report.skipped.push(batch);
      continue;
    }
    // `out` is the batch's own folder; a batch that was checked and never run has none. The output of a row in review may
    // be fetched on, and its job may still render: the service reads inputs as long as it does.
    const mayRender = state !== undefined && state.counts.review > 0;
    const beforeMs = mayRender ? nowMs - QUIET_MS : nowMs;
    if (state !== undefined) await takeBelow(state.out, beforeMs, !mayRender);
    await takeOfHome('batches', batch);
  }
  for (const part of ['open', 'balance', 'book', 'media', 'inputs']) await takeOfHome(part);
  return report;
}
