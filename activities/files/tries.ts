import { Context } from '@temporalio/activity';
import type { OutputTries } from '../../src/contract/attempts.js';
import type { RowRef } from '../../src/contract/workflows.js';
import { everyTick } from '../../src/service/countdown.js';
import { StoreError } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';
import { tryAgain } from '../failures.js';
import { withHeartbeat } from '../heartbeat.js';

/** What the tries of one download know of each other, kept in the activity's heartbeat: codes and numbers alone. */
export interface Tries {
  tries: number;
  sinceMs: number;
  /** So long it was tried in all, ms in which the machine was awake, without what lay between the tries. */
  triedMs: number;
  /** How often in a row the store refused, and its last code. */
  blocked: number;
  code: string | null;
}

/** Runs one try with its heartbeat; what it notes of itself in `tries` reaches the next one. */
export async function withTries<T>(
  { tries: made, sinceMs }: Pick<OutputTries, 'tries' | 'sinceMs'>,
  run: (tries: Tries) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const last = context.info.heartbeatDetails as Partial<Tries> | undefined;
  const before = { tries: made, sinceMs, triedMs: 0, blocked: 0, code: null, ...last };
  const tries: Tries = { ...before, tries: before.tries + 1 };
  const stop = everyTick((passedMs) => {
    tries.triedMs += passedMs;
  });
  try {
    return await withHeartbeat(() => run(tries), tries);
  } finally {
    stop();
    context.heartbeat(tries);
  }
}

/** For people: what was done to get an output that could not be had. */
export function triedText(
  { tries, sinceMs }: Pick<Tries, 'tries' | 'sinceMs'>,
  last: { why: string; status?: number | undefined },
  asks: number,
  nowMs: number,
): string {
  const minutes = Math.round((nowMs - sinceMs) / 60_000);
  const span = minutes < 1 ? '' : ` in ${minutes} min`;
  const status = last.status === undefined ? '' : ` (HTTP ${last.status})`;
  const asked = asks === 0 ? '' : `; the service was asked for a fresh URL ${times(asks)}`;
  return `tried ${times(tries)}${span}, the last try ended with '${last.why}'${status}${asked}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

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
