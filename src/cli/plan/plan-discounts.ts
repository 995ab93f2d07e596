import type { Kind } from '../../domain/kind.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { adapterFor } from '../../kinds/index.js';
import { LIST_PRICE_PPB } from '../../reconcile/price-book.js';
import { activeDiscount, type Discount } from '../../service/account.js';
import { percentOff } from '../views/percent-off.js';
import type { PlanCosts } from './plan-tally.js';

/** A discount that holds now for rows of the plan; its end is exclusive (service document 1, Discount). */
export interface PlanDiscount {
  entrypoint: string;
  multiplierPpb: number;
  untilMs: number | null;
  /** What its rows cost at most at list price and with it, where their prices are known. */
  listNano: CreditsNano;
  paidNano: CreditsNano;
}

/** The part of the list price that a kind pays at an instant, in billionths. */
export function multiplierOf(kind: Kind, discounts: readonly Discount[], atMs: number): number {
  const { entrypoint } = adapterFor(kind);
  if (entrypoint === null) return LIST_PRICE_PPB;
  return activeDiscount(discounts, entrypoint, atMs)?.multiplierPpb ?? LIST_PRICE_PPB;
}

/** Which discounts the rows to submit have; `list` and `paid` are the same plan without and with them. */
export function planDiscounts(
  { list, paid }: { list: PlanCosts; paid: PlanCosts },
  discounts: readonly Discount[],
  atMs: number,
): PlanDiscount[] {
  const found = new Map<string, PlanDiscount>();
  for (const [kind, cost] of paid.byKind) {
    const { entrypoint } = adapterFor(kind);
    const active = entrypoint === null ? undefined : activeDiscount(discounts, entrypoint, atMs);
    if (active === undefined || active.multiplierPpb === LIST_PRICE_PPB || cost.toSubmit === 0) continue;
    const { entrypoint: name, multiplierPpb, effectiveToMs } = active;
    const one = found.get(name) ?? {
      entrypoint: name,
      multiplierPpb,
      untilMs: effectiveToMs,
      listNano: 0,
      paidNano: 0,
    };
    one.listNano += list.byKind.get(kind)?.worstNano ?? 0;
    one.paidNano += cost.worstNano;
    found.set(name, one);
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
