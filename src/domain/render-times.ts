/**
 * When renders of a kind end, learned from their polls. A poll never tells when a render ended, only that it had: its end
 * lies between the last poll that said "running" and the first that did not. Times that were taken from the second alone
 * would be late by the gap between them, the next polls would be planned by them, and so each be later than the one before.
 */

/** Of one render, ms of service time since its submit: it still ran at the first (0: nobody asked), not at the second. */
export type RenderEnd = readonly [ranMs: number, endedMs: number];

/** When renders of a kind end, ms of service time since the submit. */
export interface RenderTimes {
  p5: number;
  p50: number;
  p95: number;
  /** The first poll that is expected to find an end, and from when on they are dense; absent = p5. */
  fromMs?: number;
}

/** So many are remembered of each sort. */
const ENDS_MAX = 40;
/** With fewer nothing is expected. */
const ENDS_MIN = 3;
/** The weights of forty ends hardly move after so many. */
const ROUNDS = 20;
const WEIGHT_MIN = 1e-4;
/** One poll less is worth so much of a base that the slot turns over later. */
const POLL_WORTH = 1 / 25;
/** So large a part of the renders is asked after earlier, to hear whether they have become faster. */
const EARLIER_PART = 1 / 8;
/** Multiples of it fall evenly between 0 and 1, whatever the order of the kinds among the jobs. */
const EVENLY = (Math.sqrt(5) - 1) / 2;
const TURNS = 1_000_000;

interface LikelyEnd {
  atMs: number;
  /** Between 0 and 1, all of them 1. */
  weight: number;
}

/** The ends that are known with one more. */
export function endsWith(ends: readonly RenderEnd[], [ranMs, endedMs]: RenderEnd): RenderEnd[] {
  return [...ends, [Math.round(ranMs), Math.round(endedMs)] as const].slice(-ENDS_MAX);
}

/**
 * What to expect of a render by earlier ones of its kind; null where too few have ended. `baseMs`: the least gap between
 * polls; `turn`: any number that differs from render to render.
 */
export function expectedTimes(ends: readonly RenderEnd[], baseMs: number, turn: number): RenderTimes | null {
  if (ends.length < ENDS_MIN) return null;
  const likely = likelyEnds(ends);
  const at = (part: number): number => quantile(likely, part);
  const times = { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
  const even = ((turn % TURNS) * EVENLY) % 1;
  if (even < EARLIER_PART) return { ...times, fromMs: earlier(ends, likely, baseMs, even / EARLIER_PART) };
  const best = leastLate(likely, baseMs);
  const isWide = times.p95 - times.p5 > 2 * baseMs;
  return { ...times, fromMs: isWide ? Math.min(times.p5, best) : best };
}

/**
 * The distribution of the ends that makes what was seen most likely, by expectation and maximisation (Turnbull 1976). All
 * that is known of an end is its interval, and it is taken to lie where it was seen to have ended.
 */
function likelyEnds(ends: readonly RenderEnd[]): LikelyEnd[] {
  const places = [...new Set(ends.map(([, endedMs]) => endedMs))].sort((a, b) => a - b);
  let weights = places.map(() => 1 / places.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = places.map(() => 0);
    for (const [ranMs, endedMs] of ends) {
      const isIn = (atMs: number): boolean => atMs > ranMs && atMs <= endedMs;
      const inside = weights.reduce((sum, weight, k) => sum + (isIn(places[k] ?? 0) ? weight : 0), 0);
      for (const [k, atMs] of places.entries()) {
        if (isIn(atMs)) next[k] = (next[k] ?? 0) + (weights[k] ?? 0) / inside / ends.length;
      }
    }
    weights = next;
  }
  return places.map((atMs, k) => ({ atMs, weight: weights[k] ?? 0 })).filter(({ weight }) => weight > WEIGHT_MIN);
}

function quantile(likely: readonly LikelyEnd[], part: number): number {
  let below = 0;
  const reached = likely.find(({ weight }) => {
    below += weight;
    return below >= part;
  });
  return (reached ?? likely.at(-1))?.atMs ?? 0;
}

/** The first poll after which renders wait least, with one poll each `baseMs` from then on. */
function leastLate(likely: readonly LikelyEnd[], baseMs: number): number {
  const lateMs = (fromMs: number): number =>
    likely.reduce((sum, { atMs, weight }) => {
      const more = Math.max(0, Math.ceil((atMs - fromMs) / baseMs));
      return sum + weight * (fromMs + more * baseMs - atMs + more * baseMs * POLL_WORTH);
    }, 0);
  const costs = likely.map(({ atMs }) => ({ atMs, lateMs: lateMs(atMs) }));
  return costs.reduce((best, one) => (one.lateMs < best.lateMs ? one : best)).atMs;
}

/** A poll before the earliest end that is known, where nothing says that a render still runs; `share` of the way to it. */
function earlier(ends: readonly RenderEnd[], likely: readonly LikelyEnd[], baseMs: number, share: number): number {
  const firstMs = likely[0]?.atMs ?? 0;
  const ranMs = Math.max(0, ...ends.map(([ran]) => ran).filter((ran) => ran < firstMs));
  return Math.max(ranMs + share * (firstMs - ranMs), firstMs - 2 * (1 - share) * baseMs);
}
