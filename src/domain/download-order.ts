/** Which downloads go first when there are more than can run at once. Pure. */

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
