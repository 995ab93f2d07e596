/** Polls that the service refuses: "retry rules: only 429 and 5xx" (service document 2, Errors). Pure; service time, ms. */

/** So many refusals, over so long, and a person must look: a single one may be a proxy's. */
const REFUSALS_MAX = 3;
const REFUSED_FOR_MS = 10 * 60_000;
const SECOND_AFTER_MS = 25_000;

/** Refusals in a row. */
export interface Refusals {
  count: number;
  /** When the first of them came, epoch ms. */
  sinceMs: number;
}

/** How long to wait before the next poll; null when a person must look. */
export function afterRefusal(count: number, elapsedMs: number): number | null {
  const leftMs = REFUSED_FOR_MS - elapsedMs;
  if (count >= REFUSALS_MAX && leftMs <= 0) return null;
  // Soon once, since it may pass; then as late as the rule needs it.
  return count === 1 ? SECOND_AFTER_MS : Math.max(SECOND_AFTER_MS, leftMs);
}
