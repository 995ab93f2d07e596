import { Context } from '@temporalio/activity';
import type { InputRefused } from '../src/contract/pages.js';
import type { RowRef } from '../src/contract/workflows.js';
import { loadRow } from '../src/home/row-work.js';
import { DownloadError } from '../src/service/download.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain } from './failures.js';
import { FfmpegMissing, takeFedInputs, unfitInputs } from './files/fed-inputs.js';
import { InputMissing } from './files/input-urls.js';
import { fetchInputs } from './files/media.js';
import { withHeartbeat } from './heartbeat.js';

/** An input that could not be fetched so often is missing. */
const TRIES_MAX = 6;
/** Any worker may take the next try: with one of ten that has ffmpeg, all of these miss it once in five hundred rows. */
const FRAME_TRIES_MAX = 60;
const FRAME_AGAIN_MS = 2_000;

export interface InputActivities {
  /**
   * Fetches what must go as bytes and uploads what must go as a URL; false when an input cannot be had, and why, where
   * what other rows rendered cannot feed this one.
   */
  fetchInputs(input: { row: RowRef }): Promise<boolean | InputRefused>;
}

export function inputActivities(deps: Dependencies): InputActivities {
  return {
    fetchInputs: ({ row }) => withHeartbeat(() => fetchAll(deps, row)),
  };
}

async function fetchAll(deps: Dependencies, rowRef: RowRef): Promise<boolean | InputRefused> {
  const { id, batch } = rowRef;
  const isLast = (triesMax: number): boolean => Context.current().info.attempt >= triesMax;
  try {
    const refused = await takeFedInputs(deps, { ...(await loadRow(deps, rowRef)), batch });
    if (refused !== undefined) return refused;
    // Anew: with the frames that were taken just now.
    const inputs = { ...(await loadRow(deps, rowRef)), batch };
    const unfit = await unfitInputs(deps, inputs);
    if (unfit !== undefined) return unfit;
    await fetchInputs(deps, inputs);
    return true;
  } catch (error) {
    if (error instanceof StoreError) throw tryAgain('records.unavailable', error.code);
    if (error instanceof FfmpegMissing) {
      if (!isLast(FRAME_TRIES_MAX)) throw tryAgain('frames.unavailable', 'no ffmpeg', FRAME_AGAIN_MS);
      return { reason: 'input_unfit', text: 'frames of films need ffmpeg, which no worker has that took the row' };
    }
    if (!(error instanceof DownloadError) && !(error instanceof InputMissing)) throw error;
    deps.log.warn({ id, error: error.name }, 'an input could not be fetched');
    if (error instanceof InputMissing || isLast(TRIES_MAX)) return false;
    throw tryAgain('download.interrupted', error.reason);
  }
}
