import { KINDS } from '../domain/kind.js';
import type { CreditsNano, CreditsRange } from '../domain/money.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Row } from '../domain/row.js';
import { LIST_PRICE_PPB } from '../reconcile/price-book.js';
import { type KnownPrices, rowPrice } from '../reconcile/row-price.js';
import type { Adapter } from '../vendors/adapter.js';
import type { Dependencies } from './dependencies.js';
import { multipliersOf } from './discounts.js';
import { measuredPrices } from './learned.js';
import { renderMaxMs, syncMaxMs } from './waits.js';

type Facts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

/**
 * What a row will cost if it is submitted at a time: by the configured prices, else by what was measured, with every
 * discount that may hold until it is charged; null when unknown.
 */
export async function expectedCredits(
  deps: Dependencies,
  row: Row,
  adapter: Adapter,
  submitAtMs: number = deps.now(),
): Promise<CreditsRange | null> {
  const { waits, timeScale } = deps.settings;
  const longestMs =
    adapter.flow === 'sync'
      ? syncMaxMs(deps.settings, row.kind)
      : (waits.thetaMs + renderMaxMs(deps, KINDS.indexOf(row.kind))) / timeScale;
  return cost(deps, row, adapter, { fromMs: submitAtMs, toMs: submitAtMs + longestMs }, {});
}

/** The most that a row can cost if it is submitted now; null when nothing bounds it. */
export async function upperCredits(deps: Dependencies, row: Row, adapter: Adapter): Promise<CreditsNano | null> {
  return (await expectedCredits(deps, row, adapter))?.hi ?? null;
}

/** What a finished row cost by the same prices and the discounts between its claim and its end; null when unknown. */
export async function actualCredits(
  deps: Dependencies,
  row: Row,
  adapter: Adapter,
  facts: Facts,
  between: { fromMs: number; toMs: number },
): Promise<CreditsRange | null> {
  return cost(deps, row, adapter, between, facts);
}

/** The longest driver clip (service document 2, motion control): what was under-declared is charged up to it. */
const DRIVER_SECONDS_MAX = 30;

/** What an attempt can cost in all: under-declared input seconds of motion control are charged after completion. */
export function withFollowUp(row: Row, cost: CreditsRange | null): CreditsRange | null {
  if (cost === null || row.kind !== 'vendor-a/motion-control') return cost;
  const { lo, hi } = cost;
  const declared = row.cells.input_video_seconds;
  if (hi === null || typeof declared !== 'number') return { lo, hi: null };
  return { lo, hi: Math.max(hi, Math.ceil((hi / declared) * DRIVER_SECONDS_MAX)) };
}

/** What a row costs without a discount; null when unknown. */
export async function listCredits(deps: Dependencies, row: Row, facts: Facts = {}): Promise<CreditsRange | null> {
  return rowPrice(row, await knownPrices(deps), LIST_PRICE_PPB, facts);
}

async function cost(
  deps: Dependencies,
  row: Row,
  adapter: Adapter,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  facts: Facts,
): Promise<CreditsRange | null> {
  const prices = await knownPrices(deps);
  const multipliers = await multipliersOf(deps, adapter, fromMs, toMs);
  return multipliers.map((ppb) => rowPrice(row, prices, ppb, facts)).reduce(widest);
}

async function knownPrices(deps: Dependencies): Promise<KnownPrices> {
  return { configured: deps.settings.prices, measured: await measuredPrices(deps) };
}

/** From the least to the most of two; null = without bound. */
export function widest(a: CreditsRange | null, b: CreditsRange | null): CreditsRange | null {
  if (a === null || b === null) return null;
  return { lo: Math.min(a.lo, b.lo), hi: a.hi === null || b.hi === null ? null : Math.max(a.hi, b.hi) };
}
