/**
 * When a paid output that could not be had is tried again, when the service is asked for a fresh URL, and when its row
 * stops waiting for it; which downloads go first when there are more than can run at once. Pure; every time is service
 * time in ms.
 */

/** A row that waits this long for its output ends as `review`, `output_pending`; the fetching goes on without it. */
export const ROW_WAITS_MS = 15 * 60_000;

const FIRST_GAP_MS = 2_000;
const GAP_MAX_MS = 10 * 60_000;
const FIRST_ASK_GAP_MS = 10_000;
const ASK_GAP_MAX_MS = 3_600_000;
/** Nothing is lost before so many tries: the first ones after a long sleep may find the network not up yet. */
const TRIES_MIN = 3;
/** A quarter of an hour of trying is ten tries; fewer are a machine that slept, whose network is up within seconds. */
const PENDING_TRIES_MIN = 4;
/** Beyond the documented life: so long a host is waited for that says nothing of the file either way. */
const SILENCE_MAX_MS = 7 * 24 * 3_600_000;
/** A body without end is fetched so often and no more: each try may cost gigabytes. */
const TOO_LARGE_MAX = 3;

/** How a try ended: the host's answer says that this URL does not give the file, no such answer came, or it is endless. */
export type TryEnd = 'refused' | 'unanswered' | 'too_large';

export interface FailedTry {
  end: TryEnd;
  /** All tries, this one counted. */
  tries: number;
  /** Since the first of them. */
  elapsedMs: number;
  /** What they took themselves, while the machine was awake. */
  triedMs: number;
  /** Until neither URL nor handle lives by the documents; 0 or less when that is over. */
  lifeLeftMs: number;
  /**
   * How often a fresh URL was asked for, how long ago the last time, and whether the service ever said anything to it;
   * null where nobody can be asked.
   */
  asked: { times: number; agoMs: number; isAnswered: boolean } | null;
  /** How long the row waits for its output; 0 when it has waited before, null when it does not any more. */
  waitsMs: number | null;
}

export type NextTry =
  | { next: 'again'; delayMs: number }
  /** A fresh URL first. */
  | { next: 'ask' }
  /** The row ends; the output is still fetched. */
  | { next: 'pending' }
  /** A person must look: it is not tried again by itself. */
  | { next: 'refused' }
  /** Nothing lives any more that could bring it. */
  | { next: 'lost' };

export function afterFailedTry(failed: FailedTry): NextTry {
  const { end, tries, elapsedMs, triedMs, waitsMs } = failed;
  if (end === 'too_large' && tries >= TOO_LARGE_MAX) return { next: 'refused' };
  if (isLost(failed)) return { next: 'lost' };
  if (isAskDue(failed)) return { next: 'ask' };
  const leftMs = waitsMs === null ? Number.POSITIVE_INFINITY : waitsMs - elapsedMs;
  const hasTried = tries >= PENDING_TRIES_MIN || (waitsMs !== null && triedMs >= waitsMs);
  if (leftMs <= 0 && hasTried) return { next: 'pending' };
  const gapMs = tryGapMs(tries);
  return { next: 'again', delayMs: leftMs <= 0 ? gapMs : Math.min(gapMs, leftMs) };
}

/** Doubles to 10 min. */
export function tryGapMs(tries: number): number {
  return Math.min(GAP_MAX_MS, FIRST_GAP_MS * 2 ** Math.min(20, tries - 1));
}

function isLost({ end, tries, lifeLeftMs, asked }: FailedTry): boolean {
  if (tries < TRIES_MIN) return false;
  // Whoever can be asked has answered once more before anything is given up.
  if (end === 'refused' && lifeLeftMs <= 0 && (asked === null || asked.isAnswered)) return true;
  return lifeLeftMs <= -SILENCE_MAX_MS;
}

/** A new URL helps where this one is refused, not where the network is down. */
function isAskDue({ end, asked }: FailedTry): boolean {
  if (end !== 'refused' || asked === null) return false;
  return (
    asked.times === 0 || asked.agoMs >= Math.min(ASK_GAP_MAX_MS, FIRST_ASK_GAP_MS * 2 ** Math.min(20, asked.times))
  );
}

/** Priority keys of the io queue: lower is sooner, 3 is what has none. */
export type DownloadPriority = 1 | 2 | 3 | 4 | 5;

const MINUTE_MS = 60_000;

/**
 * What expires soonest first. `urlLeftMs` is the service time that the output URL has left by its documented life, null
 * where a later poll gives a fresh one.
 */
export function downloadPriority(urlLeftMs: number | null): DownloadPriority {
  if (urlLeftMs === null) return 5;
  if (urlLeftMs <= 20 * MINUTE_MS) return 1;
  if (urlLeftMs <= 50 * MINUTE_MS) return 2;
  return urlLeftMs <= 6 * 60 * MINUTE_MS ? 3 : 4;
}
