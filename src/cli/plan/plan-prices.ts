import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { contradictedPrice, type KnownPrices } from '../../books/prices/row-price.js';
import type { Kind } from '../../domain/kind.js';
import { type CreditsNano, type CreditsRange, formatCredits } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { factsOf } from '../../kinds/facts.js';
import { adapterFor } from '../../kinds/index.js';
import { activeDiscount, type Discount } from '../../service/account.js';
import type { Session } from '../session.js';
import { amount, creditsRangeText, percentOff } from '../views/counts.js';
import { type PlanTally, paidRange } from './plan-tally.js';

/** A discount that holds now for rows of the plan; its end is exclusive (service document 1, Discount). */
export interface PlanDiscount {
  entrypoint: string;
  multiplierPpb: number;
  untilMs: number | null;
  /** What its rows cost at most at list price and with it, where their prices are known. */
  listNano: CreditsNano;
  paidNano: CreditsNano;
}

/** The discount that a kind has at an instant. */
function discountOf(kind: Kind, discounts: readonly Discount[], atMs: number): Discount | undefined {
  const { entrypoint } = adapterFor(kind);
  return entrypoint === null ? undefined : activeDiscount(discounts, entrypoint, atMs);
}

/** The part of the list price that a kind pays at an instant, in billionths. */
export function multiplierOf(kind: Kind, discounts: readonly Discount[], atMs: number): number {
  return discountOf(kind, discounts, atMs)?.multiplierPpb ?? LIST_PRICE_PPB;
}

/** Which discounts the rows to submit have. */
export function planDiscounts({ cells }: PlanTally, discounts: readonly Discount[], atMs: number): PlanDiscount[] {
  const found = new Map<string, PlanDiscount>();
  for (const cell of cells.values()) {
    const { kind, toSubmit, worstNano } = cell;
    const active = discountOf(kind, discounts, atMs);
    if (active === undefined || active.multiplierPpb === LIST_PRICE_PPB || toSubmit === 0) continue;
    const { entrypoint, multiplierPpb, effectiveToMs: untilMs } = active;
    const one = found.get(entrypoint) ?? { entrypoint, multiplierPpb, untilMs, listNano: 0, paidNano: 0 };
    one.listNano += worstNano;
    one.paidNano += paidRange(cell, multiplierPpb).worstNano;
    found.set(entrypoint, one);
  }
  return [...found.values()];
}

/** `discount  svc: 20 % off until …, exclusive: at most 0.8 instead of 1 credits`. */
export function discountLine({ entrypoint, multiplierPpb, untilMs, listNano, paidNano }: PlanDiscount): string {
  const end = untilMs === null ? 'with no end given' : `until ${new Date(untilMs).toISOString()} (not included)`;
  const saves =
    listNano === 0 ? '' : `: at most ${formatCredits(paidNano)} instead of ${formatCredits(listNano)} credits`;
  return `discount  ${entrypoint}: ${percentOff(multiplierPpb)} off ${end}${saves}`;
}

/** Configured prices of a plan that the balance has shown to be wrong, by kind: the first row's, and how many rows. */
export type ContradictedPrices = Map<Kind, { rows: number; configured: CreditsRange; measured: CreditsRange }>;

/** Counts the row where its two prices, both without a discount, contradict each other. */
export function noteContradiction(found: ContradictedPrices, row: Row, prices: KnownPrices): void {
  const contradicted = contradictedPrice(row, prices, LIST_PRICE_PPB);
  if (contradicted === undefined) return;
  const known = found.get(row.kind);
  if (known === undefined) found.set(row.kind, { rows: 1, ...contradicted });
  else known.rows += 1;
}

/** One sentence for each kind. */
export function contradictionLines(found: ContradictedPrices): string[] {
  return [...found].map(
    ([kind, { rows, configured, measured }]) =>
      `the configured price of ${kind} (${amount(rows, 'row')}) is not what was charged: ${creditsRangeText(configured)} configured, ` +
      `${creditsRangeText(measured)} measured, without discount; the higher one bounds the budget. \`callsheet prices\` shows both`,
  );
}

/** Stands for a figure that only the service's price page knows; as a price it is refused. */
const TO_FILL_IN = '?';

/** The `prices` setting for these kinds, to be filled in. */
export function priceSnippet(kinds: readonly Kind[]): { prices: object[] } {
  const componentsOf = (kind: Kind) => {
    const { usualUnit: unit, countedAtEnd, alsoBilled = [] } = factsOf(kind);
    const usual = { unit, credits: TO_FILL_IN, ...(countedAtEnd && { upTo: TO_FILL_IN }) };
    return [usual, ...alsoBilled.map((also) => ({ ...also, credits: TO_FILL_IN }))];
  };
  return { prices: kinds.map((kind) => ({ kind, components: componentsOf(kind) })) };
}

/** A setting about money that a settings file of the working folder brings. */
export interface FileSetting {
  setting: string;
  value: string;
  /** `callsheet.config.json:2:5` */
  where: string;
}

/** Whoever runs a manifest in somebody else's folder sees what its settings file says of money. */
export function fileSettings({ config, origins }: Pick<Session, 'config' | 'origins'>): FileSetting[] {
  const { budget, sync } = config;
  const values: [setting: string, value: string][] = [
    ['ambiguity', config.ambiguity],
    ['alwaysMaxWaste', formatCredits(config.alwaysMaxWaste)],
    ['sync.maxWaste', formatCredits(sync.maxWaste)],
    ['budget.askAbove', formatCredits(budget.askAbove)],
    ['budget.maxCredits', budget.maxCredits === null ? 'none' : formatCredits(budget.maxCredits)],
    ['prices', amount(config.prices.length, 'rule')],
  ];
  return values.flatMap(([setting, value]) => {
    const { name, where = 'the settings file' } = origins.get(setting) ?? {};
    return name === 'config file' ? [{ setting, value, where }] : [];
  });
}
