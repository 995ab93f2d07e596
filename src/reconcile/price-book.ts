import { type CreditsNano, type CreditsRange, parseCredits } from '../domain/money.js';
import type { PriceComponent, PriceRule } from '../domain/price.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Row } from '../domain/row.js';
import { type PricedCells, pricedCells } from './priced-cells.js';

/** A multiplier of list price in parts per billion; this is list price. */
export const LIST_PRICE_PPB = 1_000_000_000;

type Facts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

/**
 * What a row costs by the configured prices, or null when no rule matches it or the rule counts something that is not
 * known and has no bound. The discount is the account's multiplier in parts per billion; `facts` are what only the
 * result tells.
 */
export function configuredCost(
  row: Row,
  rules: readonly PriceRule[],
  discountPpb: number = LIST_PRICE_PPB,
  facts: Facts = {},
): CreditsRange | null {
  const cells = pricedCells(row);
  const rule = rules.find((candidate) => matches(candidate, row, cells));
  if (!rule) return null;
  let lo = 0;
  let hi: CreditsNano | null = 0;
  for (const component of rule.components) {
    const perUnit = parseCredits(component.credits);
    if (perUnit === undefined) return null;
    const units = unitsOf(component, cells, facts);
    lo += Math.round(perUnit * units.lo);
    hi = hi === null || units.hi === null ? null : hi + Math.round(perUnit * units.hi);
  }
  return { lo: discounted(lo, discountPpb), hi: hi === null ? null : discounted(hi, discountPpb) };
}

/** An amount at a multiplier of list price, both integers: 1e-9 credit and parts per billion. */
export function discounted(listNano: CreditsNano, discountPpb: number): CreditsNano {
  return Math.round((listNano / LIST_PRICE_PPB) * discountPpb);
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

interface Units {
  lo: number;
  hi: number | null;
}

function unitsOf(component: PriceComponent, cells: PricedCells, facts: Facts): Units {
  const counted = countUnits(component, cells, facts);
  const above = component.above ?? 0;
  return {
    lo: Math.max(0, counted.lo - above),
    hi: counted.hi === null ? null : Math.max(0, counted.hi - above),
  };
}

function countUnits(component: PriceComponent, cells: PricedCells, facts: Facts): Units {
  const exactly = (units: number): Units => ({ lo: units, hi: units });
  const known = (units: number | undefined): Units =>
    units === undefined ? { lo: 0, hi: component.upTo ?? null } : exactly(units);
  switch (component.unit) {
    case 'request':
    case 'image':
      return exactly(1);
    case 'megapixel':
      return known(cells.pixels === undefined ? undefined : cells.pixels / 1e6);
    case 'second':
      return known(facts.billedSeconds ?? cells.seconds);
    case 'input-second':
      return known(cells.inputSeconds);
    case 'reference-second':
      return cells.referenceSecondsKnown ? exactly(0) : known(undefined);
    case 'reference-image':
      return exactly(cells.referenceImages);
    case 'million-tokens':
      return known(facts.billedTokens === undefined ? undefined : facts.billedTokens / 1e6);
  }
}
