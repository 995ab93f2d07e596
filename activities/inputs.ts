import { Context } from '@temporalio/activity';
import type { InputsWanted, StandsBy } from '../src/contract/attempts.js';
import type { InputRefused } from '../src/contract/pages.js';
import type { RowRef } from '../src/contract/workflows.js';
import { speaksOfHost } from '../src/domain/exchange.js';
import { loadRow } from '../src/home/row-work.js';
import { DownloadError } from '../src/service/download.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain } from './failures.js';
import { FfmpegMissing, FrameStopped, takeFedInputs, unfitInputs } from './files/fed-inputs.js';
import { InputAway, InputMissing } from './files/input-urls.js';
import { fetchInputs } from './files/media.js';
import { withHeartbeat } from './heartbeat.js';

/** An input that could not be fetched, or cut out of its film, so often is missing. */
const TRIES_MAX = 6;
/** Any worker may take the next try: with one of ten that has ffmpeg, all of these miss it once in five hundred rows. */
const FRAME_TRIES_MAX = 60;
const FRAME_AGAIN_MS = 2_000;
/** A URL of an input that does not answer now: a quarter of an hour, as an output is waited for. */
const AWAY_TRIES_MAX = 35;
const AWAY_AGAIN_MS = { first: 1_000, most: 30_000 };

export interface InputActivities {
  /**
   * Fetches what must go as bytes and uploads what must go as a URL; false when an input could not be fetched, and why,
   * where more than that is known. `isAsked`: the semaphore was asked for the row's slot, and its submit
   * is to stand by.
   */
  fetchInputs(input: InputsWanted): Promise<boolean | { isAsked: true } | InputRefused>;
}

export function inputActivities(deps: Dependencies): InputActivities {
  return {
    fetchInputs: ({ row, maySubmit }) =>
      withHeartbeat(async () => {
        const taken = await fetchAll(deps, row);
        if (maySubmit === undefined) return taken;
        if (taken === true) return (await askForSlot(deps, row, maySubmit)) ? { isAsked: true } : true;
        // An earlier try may have had all of them, and its word was lost.
        return Context.current().info.attempt > 1 ? { ...refusalOf(taken), mayBeAsked: true } : taken;
      }, Context.current().info.heartbeatDetails),
  };
}

/** By the shortest way: no signal and no task of its own between the inputs and the submit. False where that is closed. */
async function askForSlot({ standby, messenger, log }: Dependencies, row: RowRef, how: StandsBy): Promise<boolean> {
  // Its job may have gone on without this try: nobody would give back what is asked for now.
  if (standby?.hasRoom() !== true || Context.current().cancellationSignal.aborted) return false;
  const { batch, id, kind } = row;
  // A grant that an earlier try has asked for is told anew, one of an earlier life of the row is not its.
  standby.begin({ batch, id });
  try {
    await messenger.acquireFor({ batch, jobs: [{ id, kind }], standsBy: true, ...how });
    // Cancelled meanwhile, it has left the queue before this came there.
    const [isOpen = false] = await messenger.areOpen([{ batch, id }]);
    if (!isOpen) await messenger.withdraw({ batch, id });
    return true;
  } catch (error) {
    // What was made ready is kept: the job asks for itself.
    log.warn({ id, error: error instanceof Error ? error.name : 'unknown' }, 'a slot could not be asked for');
    return false;
  }
}

function refusalOf(taken: false | InputRefused): InputRefused {
  return taken === false ? { reason: 'input_missing', text: '' } : taken;
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
    if (error instanceof FrameStopped) {
      // By themselves: tries of workers without ffmpeg say nothing of those that have it.
      const stops = stopsBefore() + 1;
      if (stops >= TRIES_MAX) return { reason: 'input_missing', text: error.message };
      Context.current().heartbeat({ stops });
      throw tryAgain('frames.unavailable', 'ffmpeg was ended');
    }
    if (error instanceof InputAway) {
      if (isLast(AWAY_TRIES_MAX)) return { reason: 'input_missing', text: error.message };
      throw tryAgain('download.interrupted', 'own URL', awayAgainMs(deps));
    }
    if (!(error instanceof DownloadError) && !(error instanceof InputMissing)) throw error;
    deps.log.warn({ id, error: error.name }, 'an input could not be fetched');
    if (error instanceof InputMissing) return { reason: 'input_missing', text: error.message };
    const isAway = isHostAway(error);
    if (isLast(isAway ? AWAY_TRIES_MAX : TRIES_MAX)) return false;
    throw tryAgain('download.interrupted', error.reason, isAway ? awayAgainMs(deps) : undefined);
  }
}

/** How often ffmpeg was ended in earlier tries of the row, by their heartbeats. */
function stopsBefore(): number {
  return (Context.current().info.heartbeatDetails as { stops?: number } | undefined)?.stops ?? 0;
}

/** Its host is in trouble or asks for patience, which says nothing of the file. */
function isHostAway({ reason, status = 0 }: DownloadError): boolean {
  return reason === 'unreachable' || (reason === 'http' && speaksOfHost(status));
}

function awayAgainMs({ settings }: Dependencies): number {
  const { first, most } = AWAY_AGAIN_MS;
  return Math.min(most, first * 2 ** (Context.current().info.attempt - 1)) / settings.timeScale;
}
