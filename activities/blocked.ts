import type { RowRef } from '../src/contract/workflows.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import type { Tries } from './download-tries.js';
import { tryAgain } from './failures.js';

/** A store that refuses something finished is waited for: what was paid is never given up for a full disk. */

const AGAIN_AFTER_MS = 15_000;
/** The batch hears of it again this often, in case somebody let it go on meanwhile. */
const TELL_EVERY = 4;

/** Runs work on the home or the outputs of a row; a refusal holds the batch and is tried again without limit. */
export async function whileStored<T>(
  deps: Dependencies,
  row: RowRef,
  tries: Tries,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const done = await work();
    tries.blocked = 0;
    return done;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code } = error;
    deps.log.warn({ batch: row.batch, id: row.id, code }, 'what is finished cannot be stored; it is tried again');
    if (tries.code !== code || tries.blocked % TELL_EVERY === 0) {
      await deps.messenger.outputBlocked(row.batch, { id: row.id, code });
    }
    tries.blocked += 1;
    tries.code = code;
    throw tryAgain('output.unavailable', code, AGAIN_AFTER_MS);
  }
}
