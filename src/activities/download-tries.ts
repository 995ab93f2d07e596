import { Context } from '@temporalio/activity';
import type { DownloadTried } from '../contract/activities.js';

/** What the tries of one download know of each other, kept in the activity's heartbeat: codes and numbers alone. */
export interface Tries {
  tries: number;
  sinceMs: number;
  /** Answers with wrong bytes, and refusals that are no expiry. */
  wrong: number;
  /** How often in a row the store refused, and its last code. */
  blocked: number;
  code: string | null;
}

const HEARTBEAT_MS = 5_000;

/** Runs one try with its heartbeat; what it notes of itself in `tries` reaches the next one. */
export async function withTries<T>(nowMs: number, run: (tries: Tries) => Promise<T>): Promise<T> {
  const context = Context.current();
  const last = context.info.heartbeatDetails as Partial<Tries> | undefined;
  const tries: Tries = { tries: 0, sinceMs: nowMs, wrong: 0, blocked: 0, code: null, ...last };
  tries.tries += 1;
  const beat = setInterval(() => context.heartbeat(tries), HEARTBEAT_MS);
  try {
    return await run(tries);
  } finally {
    clearInterval(beat);
    context.heartbeat(tries);
  }
}

/** What a result says of the tries. */
export function triedOf({ tries, sinceMs }: Tries, why: string, status: number | undefined): DownloadTried {
  return { tries, sinceMs, why, ...(status === undefined ? {} : { status }) };
}

/** For people: what was done to get an output that could not be had. */
export function triedText(tried: DownloadTried & { freshUrls?: number }, nowMs: number): string {
  const times = tried.tries === 1 ? 'once' : `${tried.tries} times`;
  const minutes = Math.round((nowMs - tried.sinceMs) / 60_000);
  const span = minutes < 1 ? '' : ` in ${minutes} min`;
  const last = `the last try ended with '${tried.why}'${tried.status === undefined ? '' : ` (HTTP ${tried.status})`}`;
  const fresh = tried.freshUrls ?? 0;
  const asked = fresh === 0 ? '' : `; the service was asked for a fresh URL ${fresh === 1 ? 'once' : `${fresh} times`}`;
  return `tried ${times}${span}, ${last}${asked}`;
}
