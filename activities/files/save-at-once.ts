import { Context } from '@temporalio/activity';
import type { AttemptInput } from '../../src/contract/attempts.js';
import type { Status } from '../../src/domain/outcome.js';
import type { Dependencies } from '../dependencies.js';
import { DOWNLOADS_MAX, type DownloadOnce } from '../download.js';
import { withHeartbeat } from '../heartbeat.js';

/**
 * Saves what was just rendered within the activity that heard of it: one more of its own costs the server and the worker
 * as much again. One try; what it does not bring is left to the activity that tries for as long as it takes. Gives how the
 * row ended, undefined where it did not.
 */
export type SaveAtOnce = (input: AttemptInput) => Promise<Status | undefined>;

/** For activities that stand alone. */
export const notAtOnce: SaveAtOnce = async () => undefined;

export function createSaveAtOnce(deps: Dependencies, download: DownloadOnce): SaveAtOnce {
  let underWay = 0;
  return async (input) => {
    if (underWay >= DOWNLOADS_MAX) return undefined;
    underWay += 1;
    // The activity may have been silent for as long as its answer took.
    Context.current().heartbeat();
    try {
      const tries = { tries: 1, sinceMs: deps.now(), triedMs: 0, blocked: 0, code: null };
      const result = await withHeartbeat(() => download(tries, input));
      if (result.outcome === 'ask') return undefined;
      return result.outcome === 'done' ? 'done' : result.status;
    } catch (error) {
      const { batch, id } = input.row;
      deps.log.info({ batch, id, error: String(error) }, 'not saved at once');
      return undefined;
    } finally {
      underWay -= 1;
    }
  };
}
