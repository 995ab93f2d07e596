/** What a request costs: price rules, the quantities they count, and the discount that applies. */
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
