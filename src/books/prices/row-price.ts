import type { Kind } from '../../domain/kind.js';
import { BALANCE_TOLERANCE_NANO, type CreditsNano, type CreditsRange } from '../../domain/money.js';
import type { MeasuredPrice, PriceRule } from '../../domain/price.js';
import type { Row } from '../../domain/row.js';
import { factsOf } from '../../kinds/facts.js';
import { measuredCost } from './measured-prices.js';
import { type BilledFacts, configuredCost, keepable, widest } from './price-book.js';

/** Where prices come from: the configuration first, else what was measured from the balance. */
export interface KnownPrices {
  configured: readonly PriceRule[];
  measured: readonly MeasuredPrice[];
}

/**
 * What one submit of a row costs, in bounds of 1e-9 credit; null when neither source knows. The one place that prices a
 * row: plans, budgets, claims and decisions by hand cannot disagree. Where both sources know and contradict each other
 * the price lies anywhere between them. `facts` are what only the finished clip tells.
 */
export function rowPrice(
  row: Row,
  prices: KnownPrices,
  discountPpb: number,
  facts: BilledFacts = {},
): CreditsRange | null {
  const { configured, measured } = bothPrices(row, prices, discountPpb, facts);
  if (configured === null || measured === null) return configured ?? measured;
  return contradict(configured, measured) ? widest(configured, measured) : configured;
}

/** The two prices of a row whose configured price is not what the balance showed; undefined where they agree. */
export function contradictedPrice(
  row: Row,
  prices: KnownPrices,
  discountPpb: number,
): { configured: CreditsRange; measured: CreditsRange } | undefined {
  const { configured, measured } = bothPrices(row, prices, discountPpb);
  if (configured === null || measured === null || !contradict(configured, measured)) return undefined;
  return { configured, measured };
}

/** Under-declared input seconds are charged after completion (service document 2, Motion control). */
export function hasFollowUp(kind: Kind): boolean {
  return factsOf(kind).driver !== undefined;
}

/** What an attempt can cost in all, with what may be charged after its completion. */
export function withFollowUp(row: Row, cost: CreditsRange | null): CreditsRange | null {
  if (cost === null || !hasFollowUp(row.kind)) return cost;
  const { lo, hi } = cost;
  const driver = factsOf(row.kind).driver?.longest(row);
  if (hi === null || driver === undefined) return { lo, hi: null };
  return keepable({ lo, hi: Math.max(hi, Math.ceil((hi / driver.declared) * driver.most)) });
}

/** How much may be charged after the completion of an attempt that costs so much by then; null = nobody knows. */
export function followUpNano(row: Row, cost: CreditsRange | null): CreditsNano | null {
  if (!hasFollowUp(row.kind)) return 0;
  const most = withFollowUp(row, cost)?.hi ?? null;
  const hi = cost?.hi ?? null;
  return most === null || hi === null ? null : most - hi;
}

function bothPrices(row: Row, { configured, measured }: KnownPrices, discountPpb: number, facts: BilledFacts = {}) {
  return {
    configured: configuredCost(row, configured, discountPpb, facts),
    measured: measured.length === 0 ? null : measuredCost(measured, row, discountPpb, facts),
  };
}

/** Both price the same quantities, so a configured rate that is right stays within what was measured. */
function contradict(configured: CreditsRange, measured: CreditsRange): boolean {
  const most = measured.hi ?? Number.POSITIVE_INFINITY;
  const isTooLow = configured.lo < measured.lo - BALANCE_TOLERANCE_NANO;
  return isTooLow || (configured.hi ?? 0) > most + BALANCE_TOLERANCE_NANO;
}
