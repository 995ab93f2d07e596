import type { RenderTimes } from './render-times.js';

/** The longest scheduled gap: the documents allow 30 s; the rest is for queueing. */
const GAP_MAX_MS = 25_000;

export interface PollQuestion {
  /** 0 = how long to wait before the first poll. */
  poll: number;
  /** Since the submit. */
  elapsedMs: number;
  baseMs: number;
  /** When earlier jobs of the kind ended, or null when there are none. */
  expected: Pick<RenderTimes, 'p5' | 'p95' | 'fromMs'> | null;
}

/**
 * How long to wait before the next poll, ms. Dense where the end is expected, so that a slot turns over at once;
 * sparse elsewhere, so that polls leave the requests per minute to submits.
 */
export function pollGapMs({ poll, elapsedMs, baseMs, expected }: PollQuestion): number {
  if (expected === null) return gapWithoutHistory(poll, baseMs);
  const { p95, fromMs = expected.p5 } = expected;
  const leftMs = fromMs - elapsedMs;
  if (leftMs > 0) {
    // What would be left after the longest gap is too short for one: two equal ones end there.
    const isShort = leftMs > GAP_MAX_MS && leftMs < GAP_MAX_MS + baseMs;
    return clamp(isShort ? leftMs / 2 : leftMs, baseMs, GAP_MAX_MS);
  }
  // The first poll of the dense ones may come a moment after what it was planned for.
  if (elapsedMs <= p95 + baseMs / 2) return baseMs;
  // Growing with the time past the expected end doubles the gap from poll to poll.
  return clamp(elapsedMs - p95, 2 * baseMs, GAP_MAX_MS);
}

/** After so many polls in a row without an answer: doubles from twice the base. */
export function backoffGapMs(failures: number, baseMs: number): number {
  return Math.min(GAP_MAX_MS, baseMs * 2 ** Math.min(10, failures));
}

function gapWithoutHistory(poll: number, baseMs: number): number {
  if (poll === 0) return baseMs;
  if (poll === 1) return Math.min(2 * baseMs, GAP_MAX_MS);
  return poll === 2 ? 20_000 : GAP_MAX_MS;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/**
 * So many refused polls ("retry rules: only 429 and 5xx": service document 2, Errors), over so long, and a person must
 * look: a single one may be a proxy's. Service time, ms.
 */
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
