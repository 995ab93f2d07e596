import { isDeepStrictEqual } from 'node:util';
import type { ChargeTiming } from '../src/books/check/evidence.js';
import type { Kind } from '../src/domain/kind.js';
import { type CreditsNano, formatCredits, NANO_PER_CREDIT } from '../src/domain/money.js';
import type { MeasuredPrice } from '../src/domain/price.js';
import {
  type Learned,
  type LearnedTiming,
  readLearned,
  readMeasuredPrices,
  writeLearned,
  writeMeasuredPrices,
} from '../src/home/learned.js';
import { adapterFor } from '../src/kinds/index.js';
import type { Dependencies } from './dependencies.js';

/** What this account taught: how late and how exact its balance is, who charges when, what was measured. */

interface Memory {
  learned: Learned;
  prices: MeasuredPrice[];
  readAtMs: number;
}
const memories = new WeakMap<Dependencies, Memory>();

/** Another worker of the account may have learned more. */
const READ_EVERY_MS = 60_000;
/** The balance was seen this late: it may be a little later another time. */
const LATENESS_MARGIN = 1.25;
/** Later than this it is not lateness but something else. */
const LATENESS_MAX_MS = 7_200_000;
/** So many lone charges show when a model charges. */
const TIMES_MIN = 3;
/** A balance is taken for one with this many decimals until it shows more; beyond the most they are noise of floats. */
const DECIMALS_MIN = 2;
const DECIMALS_MAX = 6;

/** Λ: how late the balance can be, scaled ms. The setting is its floor: that it was early before proves nothing. */
export async function lambdaMs(deps: Dependencies): Promise<number> {
  const { waits, timeScale } = deps.settings;
  const { learned } = await recall(deps);
  return Math.max(waits.lambdaMs, learned.latenessMs * LATENESS_MARGIN) / timeScale;
}

/** Ρ: how late a refund can be, scaled ms. */
export async function rhoMs(deps: Dependencies): Promise<number> {
  const { waits, timeScale } = deps.settings;
  const { learned } = await recall(deps);
  return Math.max(waits.rhoMs, (learned.refundMs ?? 0) * LATENESS_MARGIN) / timeScale;
}

/** One unit of the last decimal place that the balance ever showed: it may be rounded there. */
export async function roundingNano(deps: Dependencies, balances: (CreditsNano | null)[] = []): Promise<CreditsNano> {
  const { learned } = await recall(deps);
  const shown = balances.map((nano) => (nano === null ? 0 : decimalsOf(nano)));
  const decimals = Math.max(DECIMALS_MIN, learned.decimals ?? 0, ...shown);
  return NANO_PER_CREDIT / 10 ** Math.min(DECIMALS_MAX, decimals);
}

/** When a model charges: by the documents, else as three lone charges of it have shown. */
export async function timingOf(deps: Dependencies, kind: Kind, model: string | undefined): Promise<ChargeTiming> {
  const { charge } = adapterFor(kind);
  if (charge !== 'unknown' || model === undefined) return charge;
  const { learned } = await recall(deps);
  const known = learned.timings?.find((one) => one.kind === kind && one.model === model);
  return known && !known.revoked && known.attempts.length >= TIMES_MIN ? known.timing : charge;
}

/** What a reading of the balance taught; times scaled. */
export interface News {
  latenessMs: number;
  refundMs: number;
  balances: (CreditsNano | null)[];
  timings: { kind: Kind; model: string; timing: LearnedTiming['timing']; name: string }[];
}

/** Keeps what was learned, where it is more than what is known. */
export async function keepLearned(
  deps: Dependencies,
  { latenessMs, refundMs, balances, timings }: News,
): Promise<void> {
  const memory = await recall(deps, true);
  const { learned } = memory;
  const { timeScale } = deps.settings;
  const later = (known: number, seenMs: number): number =>
    seenMs * timeScale > known && seenMs * timeScale <= LATENESS_MAX_MS ? seenMs * timeScale : known;
  const latest = later(learned.latenessMs, latenessMs);
  const shown = balances.map((nano) => (nano === null ? 0 : decimalsOf(nano)));
  const next: Learned = {
    ...learned,
    latenessMs: latest,
    latenessAtMs: latest === learned.latenessMs ? learned.latenessAtMs : deps.now(),
    refundMs: later(learned.refundMs ?? 0, refundMs),
    decimals: Math.min(DECIMALS_MAX, Math.max(learned.decimals ?? 0, ...shown)),
    timings: timings.reduce(withTiming, learned.timings ?? []),
  };
  if (isDeepStrictEqual({ ...learned, refundMs: learned.refundMs ?? 0, timings: learned.timings ?? [] }, next)) return;
  memory.learned = next;
  await writeLearned(deps.home, next);
  deps.log.info({ latenessMs: next.latenessMs, refundMs: next.refundMs, timings }, 'learned from single charges');
}

/** One charge more of a model; a contradiction is never forgotten. */
function withTiming(known: LearnedTiming[], { name, ...seen }: News['timings'][number]): LearnedTiming[] {
  const before = known.find(({ kind, model }) => kind === seen.kind && model === seen.model);
  const others = known.filter((one) => one !== before);
  if (before === undefined) return [...others, { ...seen, attempts: [name], revoked: false }];
  if (before.timing !== seen.timing) return [...others, { ...before, revoked: true }];
  if (before.attempts.length >= TIMES_MIN || before.attempts.includes(name)) return known;
  return [...others, { ...before, attempts: [...before.attempts, name] }];
}

function decimalsOf(nano: CreditsNano): number {
  return formatCredits(nano).split('.')[1]?.length ?? 0;
}

export async function measuredPrices(deps: Dependencies): Promise<readonly MeasuredPrice[]> {
  return (await recall(deps)).prices;
}

/** Changes the measured prices as they stand in the home. */
export async function keepPrices(
  deps: Dependencies,
  change: (prices: MeasuredPrice[]) => MeasuredPrice[],
): Promise<void> {
  const memory = await recall(deps, true);
  memory.prices = change(memory.prices);
  await writeMeasuredPrices(deps.home, memory.prices);
}

async function recall(deps: Dependencies, anew = false): Promise<Memory> {
  const known = memories.get(deps);
  if (known && !anew && deps.now() - known.readAtMs < READ_EVERY_MS) return known;
  const [learned, prices] = await Promise.all([readLearned(deps.home), readMeasuredPrices(deps.home)]);
  const memory: Memory = { learned, prices, readAtMs: deps.now() };
  memories.set(deps, memory);
  return memory;
}
