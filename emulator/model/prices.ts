/** What a request costs: price rules, the quantities they count, and the discounts of an account (service document 1). */

import * as z from 'zod';
import { parseCredits } from './money.js';

/** What a job asks for, `provider/task`. */
const KINDS = [
  'svc/image',
  'svc/edit',
  'svc/clip',
  'svc/animation',
  'vendor-a/text2video',
  'vendor-a/image2video',
  'vendor-a/omni-video',
  'vendor-a/motion-control',
  'vendor-b/avatar',
  'vendor-c/video',
  'vendor-g/video',
  'vendor-d/video',
  'vendor-e/video',
  'vendor-f/video',
  'vendor-f/interaction',
] as const;
export type Kind = (typeof KINDS)[number];

/** What a component counts. A megapixel is 10^6 pixels; `million-tokens` is vendor-d's video tokens. */
const PRICE_UNITS = [
  'request',
  'image',
  'megapixel',
  'second',
  'input-second',
  'reference-second',
  'reference-image',
  'million-tokens',
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

const componentSchema = z.strictObject({
  unit: z.enum(PRICE_UNITS),
  credits: z.string().regex(/^\d{1,7}(\.\d{1,9})?$/, 'must be a decimal string such as "0.0006"'),
  /** Units that are included: only what is above counts. */
  above: z.number().nonnegative().optional(),
});

const priceRuleSchema = z.strictObject({
  kind: z.enum(KINDS),
  model: z.string().optional(),
  tier: z.string().optional(),
  steps: z.number().int().optional(),
  stepsMax: z.number().int().optional(),
  resolution: z.string().optional(),
  mode: z.string().optional(),
  audio: z.boolean().optional(),
  sound: z.string().optional(),
  components: z.array(componentSchema).min(1),
});

/** One price: the first rule whose given fields all meet the request's facts sets the price. */
export type PriceRule = z.input<typeof priceRuleSchema>;

/** Checks price rules from JSON; throws one sentence that names the rule and the field. */
export function parsePriceRules(json: unknown): PriceRule[] {
  const result = z.array(priceRuleSchema).safeParse(json);
  if (result.success) return result.data as PriceRule[];
  const issue = result.error.issues[0];
  throw new Error(`price rule ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'not valid'}`);
}

/** What a price may depend on. */
export interface PriceFacts {
  kind: Kind;
  model: string;
  tier?: string;
  steps?: number;
  resolution?: string;
  mode?: string;
  audio?: boolean;
  sound?: string;
}

/** How much of each unit a request uses, in millionths of the unit (1 image = 1,000,000). */
export type Quantities = Partial<Record<PriceUnit, number>>;

/** Millionths of a unit. */
export function micro(amount: number): number {
  return Math.round(amount * 1_000_000);
}

function meets(rule: PriceRule, facts: PriceFacts): boolean {
  if (rule.kind !== facts.kind) return false;
  if (rule.stepsMax !== undefined && (facts.steps === undefined || facts.steps > rule.stepsMax)) return false;
  const names = ['model', 'tier', 'steps', 'resolution', 'mode', 'audio', 'sound'] as const;
  return names.every((name) => rule[name] === undefined || rule[name] === facts[name]);
}

/**
 * The charge in 1e-9 credits: list price times multiplier (service document 1, "Discount"), rounded once, half up.
 * Undefined when no rule prices the request.
 */
export function chargeNano(
  rules: readonly PriceRule[],
  facts: PriceFacts,
  quantities: Quantities,
  multiplierNano: number,
): number | undefined {
  const rule = rules.find((candidate) => meets(candidate, facts));
  if (rule === undefined) return undefined;
  let sum = 0n;
  for (const component of rule.components) {
    const used = (quantities[component.unit] ?? 0) - micro(component.above ?? 0);
    if (used > 0) sum += BigInt(parseCredits(component.credits)) * BigInt(used);
  }
  const scale = 1_000_000n * 1_000_000_000n;
  return Number((sum * BigInt(multiplierNano) + scale / 2n) / scale);
}

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
