import type { ResultFacts } from '../../domain/exchange.js';
import { type CreditsNano, type CreditsRange, parseCredits } from '../../domain/money.js';
import type { PriceComponent, PriceRule } from '../../domain/price.js';
import type { Row } from '../../domain/row.js';
import { askedOutput } from '../../kinds/expected.js';
import { exactly, type PricedCells, type Quantities, type Quantity } from '../../kinds/fact.js';
import { factsOf, filledCells } from '../../kinds/facts.js';

/** A multiplier of list price in parts per billion; this is list price. */
export const LIST_PRICE_PPB = 1_000_000_000;

/**
 * What a row costs by the configured prices, or null when no rule matches it, the rule prices nothing or the amount is
 * beyond all money. Exact only where everything that the rule counts is known. The discount is the account's
 * multiplier in parts per billion; `facts` are what only the result tells.
 */
export function configuredCost(
  row: Row,
  rules: readonly PriceRule[],
  discountPpb: number = LIST_PRICE_PPB,
  facts: BilledFacts = {},
): CreditsRange | null {
  const cells = pricedCells(row);
  const rule = rules.find((candidate) => matches(candidate, row, cells));
  if (!rule || rule.components.length === 0) return null;
  const quantities = billedQuantities(row, facts);
  let lo = 0;
  let hi: CreditsNano | null = 0;
  for (const component of rule.components) {
    const perUnit = parseCredits(component.credits);
    if (perUnit === undefined) return null;
    const units = unitsOf(component, quantities);
    lo += Math.round(perUnit * units.lo);
    hi = hi === null || units.hi === null ? null : hi + Math.round(perUnit * units.hi);
  }
  return keepable(discountedRange({ lo, hi }, discountPpb));
}

/** An amount at a multiplier of list price, both integers: 1e-9 credit and parts per billion. */
export function discounted(listNano: CreditsNano, discountPpb: number): CreditsNano {
  return Math.round((listNano / LIST_PRICE_PPB) * discountPpb);
}

/** The same for bounds: at one multiplier, or somewhere from the lowest to the highest of several. */
export function discountedRange({ lo, hi }: CreditsRange, ...discountsPpb: number[]): CreditsRange {
  const most = hi === null ? null : discounted(hi, Math.max(...discountsPpb));
  return { lo: discounted(lo, Math.min(...discountsPpb)), hi: most };
}

/** A price that can be counted with and kept: what is beyond all money is unknown. */
export function keepable({ lo, hi }: CreditsRange): CreditsRange | null {
  if (!Number.isSafeInteger(lo)) return null;
  return { lo, hi: hi === null || !Number.isSafeInteger(hi) ? null : hi };
}

/** From the least to the most of two; null = nothing is known. */
export function widest(a: CreditsRange, b: CreditsRange): CreditsRange;
export function widest(a: CreditsRange | null, b: CreditsRange | null): CreditsRange | null;
export function widest(a: CreditsRange | null, b: CreditsRange | null): CreditsRange | null {
  if (a === null || b === null) return null;
  return { lo: Math.min(a.lo, b.lo), hi: a.hi === null || b.hi === null ? null : Math.max(a.hi, b.hi) };
}

function matches(rule: PriceRule, row: Row, cells: PricedCells): boolean {
  return (
    (rule.kind === undefined || rule.kind === row.kind) &&
    (rule.model === undefined || rule.model === cells.model) &&
    (rule.tier === undefined || rule.tier === cells.tier) &&
    (rule.steps === undefined || rule.steps === cells.steps) &&
    (rule.resolution === undefined || rule.resolution === cells.resolution) &&
    (rule.mode === undefined || rule.mode === cells.mode) &&
    (rule.audio === undefined || rule.audio === cells.audio) &&
    (rule.sound === undefined || rule.sound === cells.sound)
  );
}

/** What a component counts, above what is included. The user's own bounds hold where nothing better is known. */
function unitsOf({ unit, above = 0, upTo, atLeast }: PriceComponent, quantities: Quantities): Quantity {
  const { lo, hi } = quantities[unit] ?? { lo: 0, hi: null };
  const most = upTo === undefined || lo === hi ? hi : Math.max(lo, Math.min(hi ?? upTo, upTo));
  const least = atLeast === undefined || lo === hi ? lo : Math.max(lo, Math.min(most ?? atLeast, atLeast));
  return { lo: Math.max(0, least - above), hi: most === null ? null : Math.max(0, most - above) };
}

/** How much of each unit a row is billed for, as far as the request, its local files and its result tell. Pure. */

export type BilledFacts = Pick<ResultFacts, 'billedSeconds' | 'shownSeconds' | 'billedTokens'>;

/** Lengths that differ by less are the same. */
const SAME_SECONDS = 1e-3;

/** Everything that the documents bill for a row; `facts` are what only the finished clip tells. */
export function billedQuantities(row: Row, facts: BilledFacts = {}): Quantities {
  const asked = factsOf(row.kind).billed?.(row, askedOutput(row));
  return {
    request: exactly(1),
    image: exactly(1),
    'reference-second': exactly(0),
    'reference-image': exactly(row.media.reference_images?.length ?? 0),
    ...asked,
    ...(asked?.second && facts.shownSeconds ? { second: orShown(asked.second, facts.shownSeconds) } : {}),
    ...(facts.billedSeconds === undefined ? {} : { second: exactly(facts.billedSeconds) }),
    ...(facts.billedTokens === undefined ? {} : { 'million-tokens': exactly(facts.billedTokens / 1e6) }),
  };
}

/** A length that was asked for, where the service shows another one: nobody knows which of them it bills. */
function orShown({ lo, hi }: Quantity, shown: readonly number[]): Quantity {
  const isAsIs = shown.some((one) => one >= lo - SAME_SECONDS && (hi === null || one <= hi + SAME_SECONDS));
  if (isAsIs || hi === null || shown.length === 0) return { lo, hi };
  return { lo: Math.min(lo, ...shown), hi: Math.max(hi, ...shown) };
}

export function isExact({ lo, hi }: Quantity): boolean {
  return lo === hi;
}

/** Reads the cells of a row that a rate can depend on (service documents 1 and 2, the submit bodies' defaults). */
export function pricedCells(row: Row): PricedCells {
  const cells = filledCells(row);
  const text = (name: string): string | undefined => (typeof cells[name] === 'string' ? cells[name] : undefined);
  const given = {
    model: text('model'),
    mode: text('mode'),
    tier: text('tier'),
    steps: typeof cells.steps === 'number' ? cells.steps : undefined,
    resolution: text('resolution'),
    audio: typeof cells.audio === 'boolean' ? cells.audio : undefined,
    sound: text('sound'),
  };
  return { ...given, ...factsOf(row.kind).priced?.(given, row) };
}

/** The same without what the documents say has no effect on the price: what equal prices have in common. */
export function rateCells(row: Row): Partial<PricedCells> {
  const ignored = factsOf(row.kind).priceIgnores ?? [];
  const { model, resolution, ...cells } = pricedCells(row);
  const all = Object.entries({ ...cells, model, resolution });
  return Object.fromEntries(all.filter(([name]) => !ignored.includes(name as keyof PricedCells)));
}
