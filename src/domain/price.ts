import type { Json } from './json.js';
import type { Kind } from './kind.js';
import { type CreditsNano, formatCredits } from './money.js';

/** What a price component counts. A megapixel is 10^6 pixels of the output (an assumption: the documents do not say). */
export const PRICE_UNITS = [
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

export interface PriceComponent {
  unit: PriceUnit;
  /** Credits per unit, a decimal string. */
  credits: string;
  /** Only units beyond this many are charged. */
  above?: number;
  /** The most units there can be, where only the finished clip tells (avatar seconds, tokens). */
  upTo?: number;
  /** The fewest, likewise: a bill that is too small to be seen in the balance can never be ruled out. */
  atLeast?: number;
}

/** One configured price; the first rule whose given fields all match a row is used. */
export interface PriceRule {
  kind?: Kind;
  model?: string;
  tier?: string;
  steps?: number;
  resolution?: string;
  mode?: string;
  audio?: boolean;
  sound?: string;
  components: PriceComponent[];
}

/** A price that was seen: exactly one charge fell between two readings of the balance. */
export interface MeasuredPrice {
  kind: Kind;
  /** What the price can depend on, and what the finished clip told; equal cells have an equal price. */
  cells: Record<string, Json>;
  paidNano: CreditsNano;
  /** How far it may be off, since the balance it was read from is rounded; absent = exact. */
  withinNano?: CreditsNano;
  /** The fraction of the list price that was paid, in billionths. */
  multiplierPpb: number;
  /** When it was seen first and last, epoch ms. */
  firstAtMs: number;
  lastAtMs: number;
  /** How often the same amount was seen in a row. */
  times: number;
  /** Nobody else was said to use the account. */
  exclusive: boolean;
}

/** `0.4 ± 0.1 at 0.8 of list price`. */
export function pricePaidText({ paidNano, withinNano = 0, multiplierPpb }: MeasuredPrice): string {
  // The balance that it was read from is rounded.
  const within = withinNano === 0 ? '' : ` ± ${formatCredits(withinNano)}`;
  const discount = multiplierPpb === 1_000_000_000 ? '' : ` at ${formatCredits(multiplierPpb)} of list price`;
  return `${formatCredits(paidNano)}${within}${discount}`;
}

/** What a price is for, beside its kind: `model=x seconds=8`. */
export function priceCellsText(cells: object): string {
  return Object.entries(cells)
    .filter(([, value]) => value !== undefined && value !== 0)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

/** A paid request whose answer is not in the home yet: whoever gives up waiting may lose what it bought. */
export interface AwaitedCall {
  /** The most that it can cost; null when nobody knows. */
  creditsNano: CreditsNano | null;
  /** When its time for an answer is over, epoch ms. */
  untilMs: number;
  /** Its answer is there, and the home cannot take it: the disk is full, or the home is away. */
  isAnswered?: true;
}
