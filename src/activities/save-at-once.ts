import type { AttemptInput, SubmitResult } from '../contract/activities.js';
import type { RowRef } from '../contract/workflows.js';
import type { Dependencies } from './dependencies.js';
import type { DownloadOnce } from './download.js';

/**
 * Saves what a synchronous call has just given within the activity that made it: one more of its own costs the server
 * and the worker as much again. One try; what it does not bring is left to the activity that tries for as long as it takes.
 */
export type SaveAtOnce = (row: RowRef, sent: SubmitResult) => Promise<SubmitResult>;

/** For activities that stand alone. */
export const notAtOnce: SaveAtOnce = async (_, sent) => sent;

/** As many as there are places for downloads by themselves. */
const AT_ONCE_MAX = 8;

export function createSaveAtOnce(deps: Dependencies, download: DownloadOnce): SaveAtOnce {
  let underWay = 0;
  return async (row, sent) => {
    const isDone = sent.outcome === 'standing' && sent.standing === 'done';
    if (!isDone || underWay >= AT_ONCE_MAX) return sent;
    underWay += 1;
    try {
      const end = await save({ row, n: sent.n });
      return end === undefined ? sent : { outcome: 'ended', ...end, ...(sent.released ? { released: true } : {}) };
    } finally {
      underWay -= 1;
    }
  };

  async function save(
    input: AttemptInput,
  ): Promise<Pick<Extract<SubmitResult, { outcome: 'ended' }>, 'status'> | undefined> {
    try {
      const result = await download({ tries: 1, sinceMs: deps.now(), blocked: 0, code: null }, input);
      if (result.outcome === 'ask') return undefined;
      return { status: result.outcome === 'done' ? 'done' : result.status };
    } catch (error) {
      const { batch, id } = input.row;
      deps.log.info({ batch, id, error: String(error) }, 'not saved at once');
      return undefined;
    }
  }
}
