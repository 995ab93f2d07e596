/**
 * When renders of a sort end, learned from their polls. A poll never tells when a render ended, only that it had: its end
 * lies between the last poll that said "running" and the first that did not. Times that were taken from the second alone
 * would be late by the gap between them, the next polls would be planned by them, and so each be later than the one before.
 */

/** Of one render, ms of service time since its submit: still running at the first (0: nobody asked here), not at the second. */
export type RenderEnd = readonly [ranMs: number, endedMs: number];

/** When renders end, ms of service time since the submit. */
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
export const ENDS_MIN = 3;
const ROUNDS = 100;
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

/** The ends that are known with one more; one that a clock which was set back made is left out. */
export function endsWith(ends: readonly RenderEnd[], [ranMs, endedMs]: RenderEnd): readonly RenderEnd[] {
  const end = [Math.round(ranMs), Math.round(endedMs)] as const;
  return isPossible(end) ? [...ends, end].slice(-ENDS_MAX) : ends;
}

export function isPossible([ranMs, endedMs]: RenderEnd): boolean {
  return ranMs >= 0 && ranMs < endedMs;
}

/**
 * What to expect of a render by earlier ones of its sort; null where too few have ended. `baseMs`: the least gap between
 * polls; `turn`: any number that differs from render to render.
 */
export function expectedTimes(ends: readonly RenderEnd[], baseMs: number, turn: number): RenderTimes | null {
  if (ends.length < ENDS_MIN) return null;
  const likely = likelyEnds(ends);
  const at = (part: number): number => quantile(likely, part);
  const times = { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
  const best = leastLate(likely, baseMs);
  const isWide = times.p95 - times.p5 > 2 * baseMs;
  const fromMs = isWide ? Math.min(times.p5, best) : best;
  const even = ((turn % TURNS) * EVENLY) % 1;
  if (even >= EARLIER_PART) return { ...times, fromMs };
  return { ...times, fromMs: earlier(ends, Math.min(times.p5, fromMs), baseMs, even / EARLIER_PART) };
}

/**
 * The distribution of the ends that makes what was seen most likely, by expectation and maximisation (Turnbull 1976). All
 * that is known of an end is its interval, and it is taken to lie where it was seen to have ended.
 */
function likelyEnds(ends: readonly RenderEnd[]): LikelyEnd[] {
  const places = [...new Set(ends.map(([, endedMs]) => endedMs))].sort((a, b) => a - b);
  const after = (ms: number): number => places.filter((place) => place <= ms).length;
  const spans = ends.map(([ranMs, endedMs]) => [after(ranMs), after(endedMs)] as const);
  let weights = places.map(() => 1 / places.length);
  for (let round = 0; round < ROUNDS; round += 1) weights = likelier(weights, spans);
  return places.map((atMs, k) => ({ atMs, weight: weights[k] ?? 0 })).filter(({ weight }) => weight > WEIGHT_MIN);
}

/** One round: each end is shared out among the places of its span by their weights. */
function likelier(weights: readonly number[], spans: readonly (readonly [from: number, to: number])[]): number[] {
  const upTo = [0];
  for (const weight of weights) upTo.push((upTo.at(-1) ?? 0) + weight);
  const steps = upTo.map(() => 0);
  for (const [from, to] of spans) {
    const share = 1 / spans.length / ((upTo[to] ?? 0) - (upTo[from] ?? 0));
    steps[from] = (steps[from] ?? 0) + share;
    steps[to] = (steps[to] ?? 0) - share;
  }
  let share = 0;
  return weights.map((weight, k) => {
    share += steps[k] ?? 0;
    return weight * share;
  });
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

/** A poll before the first ends, at most two gaps, where nothing says that a render still runs; `share` of the way to them. */
function earlier(ends: readonly RenderEnd[], firstMs: number, baseMs: number, share: number): number {
  const ranMs = Math.max(0, ...ends.map(([ran]) => ran).filter((ran) => ran < firstMs));
  return Math.round(Math.max(ranMs + share * (firstMs - ranMs), firstMs - 2 * (1 - share) * baseMs));
}
