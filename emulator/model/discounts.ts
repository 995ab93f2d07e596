/** Discounts of one account: which multiplier holds for an entrypoint at an instant (service document 1, "Discount"). */
import { parseCredits } from './money.js';
import type { Kind } from './prices.js';

const ENTRYPOINTS = ['svc', 'vendor-a', 'vendor-b', 'vendor-f'] as const;
type Entrypoint = (typeof ENTRYPOINTS)[number];

/** A discount as GET /v1/discounts returns it; `effective_to` is exclusive, null means open-ended. */
export interface Discount {
  entrypoint: Entrypoint;
  multiplier: number;
  effective_from: string;
  effective_to: string | null;
}

const MULTIPLIER_ONE_NANO = 1_000_000_000;

/** The part of a kind's name that an entrypoint or a restricted-model refusal names (`svc`, `vendor-a`, …). */
export function providerOf(kind: Kind): string {
  return kind.slice(0, kind.indexOf('/'));
}

function instantMs(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || !/(Z|[+-]\d\d:\d\d)$/.test(text)) {
    throw new Error(`'${text}' is not an ISO 8601 timestamp with a UTC offset`);
  }
  return ms;
}

function isActive(discount: Discount, atMs: number): boolean {
  const endMs = discount.effective_to === null ? Number.POSITIVE_INFINITY : instantMs(discount.effective_to);
  return instantMs(discount.effective_from) <= atMs && atMs < endMs;
}

/** Checks a set of discounts; throws where a value is not possible or two of one entrypoint overlap. */
export function checkDiscounts(discounts: readonly Discount[]): void {
  for (const [index, discount] of discounts.entries()) {
    if (!ENTRYPOINTS.includes(discount.entrypoint)) {
      throw new Error(`discount for unknown entrypoint '${discount.entrypoint}'; known: ${ENTRYPOINTS.join(', ')}`);
    }
    // "Entrypoints at list price have no row."
    if (!(discount.multiplier > 0 && discount.multiplier < 1)) {
      throw new Error(`discount multiplier ${discount.multiplier} is not above 0 and below 1; list price has no row`);
    }
    const fromMs = instantMs(discount.effective_from);
    for (const other of discounts.slice(index + 1)) {
      // At most one active discount per entrypoint, so the later one may only begin where the earlier one has ended.
      const clash =
        other.entrypoint === discount.entrypoint &&
        (isActive(discount, instantMs(other.effective_from)) || isActive(other, fromMs));
      if (clash) throw new Error(`two discounts of entrypoint '${discount.entrypoint}' overlap`);
    }
  }
}

/** The discounts in force at `atMs`, sorted by entrypoint. */
export function activeDiscounts(discounts: readonly Discount[], atMs: number): Discount[] {
  return discounts
    .filter((discount) => isActive(discount, atMs))
    .map((discount) => ({
      entrypoint: discount.entrypoint,
      multiplier: discount.multiplier,
      effective_from: discount.effective_from.replace(/Z$/, '+00:00'),
      effective_to: discount.effective_to === null ? null : discount.effective_to.replace(/Z$/, '+00:00'),
    }))
    .sort((a, b) => (a.entrypoint < b.entrypoint ? -1 : 1));
}

/** The multiplier of a kind at `atMs`, in 1e-9; list price where the kind's provider has no entrypoint or no discount. */
export function multiplierNano(discounts: readonly Discount[], kind: Kind, atMs: number): number {
  const provider = providerOf(kind);
  const found = discounts.find((discount) => discount.entrypoint === provider && isActive(discount, atMs));
  return found === undefined ? MULTIPLIER_ONE_NANO : parseCredits(found.multiplier.toFixed(9));
}
