import { Context } from '@temporalio/activity';
import type { OutputTries } from '../src/contract/attempts.js';

/** What the tries of one download know of each other, kept in the activity's heartbeat: codes and numbers alone. */
export interface Tries {
  tries: number;
  sinceMs: number;
  /** How often in a row the store refused, and its last code. */
  blocked: number;
  code: string | null;
}

const HEARTBEAT_MS = 5_000;

/** Runs one try with its heartbeat; what it notes of itself in `tries` reaches the next one. */
export async function withTries<T>(
  before: Pick<OutputTries, 'tries' | 'sinceMs'>,
  run: (tries: Tries) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const last = context.info.heartbeatDetails as Partial<Tries> | undefined;
  const { tries: made, sinceMs } = before;
  const tries: Tries = { tries: made, sinceMs, blocked: 0, code: null, ...last };
  tries.tries += 1;
  const beat = setInterval(() => context.heartbeat(tries), HEARTBEAT_MS);
  try {
    return await run(tries);
  } finally {
    clearInterval(beat);
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
