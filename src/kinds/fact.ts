import type { Json } from '../domain/json.js';
import type { PriceUnit } from '../domain/price.js';
import type { Media, Row } from '../domain/row.js';

/**
 * What is true of every row of a kind, and what follows from a row by itself: what comes out, how long it lives, what
 * bills. Prices, checks of outputs and waits go by it; pure, and without the columns or the wire.
 */
export interface KindFacts {
  /** What a render's bytes must be; `any` where the documents leave it open. */
  output: 'image' | 'video' | 'any';
  /**
   * How long after its end a rendered output may still be had, ms of service time: the longer of its URL's life and of
   * the life of the handle that can be asked for another one. Only the giving up goes by it; what is fetched first goes
   * by the shorter `urlLifeMs` of the adapters.
   */
  outputLifeMs: number;
  /**
   * How long the URL that the service gave for an output can be named in another request, ms of service time; absent
   * where nothing that long is shown.
   */
  ownUrlLifeMs?: number;
  /** The documented end of a synchronous call, ms with the way of its answer. */
  callMaxMs?: number;
  /** What the service's price pages count. */
  usualUnit: PriceUnit;
  /** The model where a row names none; empty where it must, or where there are none. */
  model: string;
  /** Billed by the seconds of output alone, whose number is not fixed. */
  isBilledByOutput?: true;
  /** The row gives its body whole: fields that the documents do not show, any of which may bill, need no column `extra`. */
  hasOwnBody?: true;
  /** Cells that have no effect on the price. */
  priceIgnores?: readonly (keyof PricedCells)[];
  /** The cells that a rate can depend on, with the documents' defaults filled in. */
  priced?(given: PricedCells, row: Row): Partial<PricedCells>;
  /** What a row asks its output to be; empty where the documents leave size and length to the model. */
  asked?(cells: Row['cells']): AskedOutput;
  /** How much of each unit it is billed for beside one request, as far as request and local files tell. */
  billed?(row: Row, asked: AskedOutput): Quantities;
  /**
   * The longest driver clip of a row, in the whole seconds that it declares: what was under-declared is charged after
   * completion. Undefined for a row whose declaration is not known yet.
   */
  driver?(row: Row): { declared: number; most: number } | undefined;
  /** Its render takes time by the seconds of speech, at most this many; undefined for audio that only the service reads. */
  speechSeconds?(row: Pick<Row, 'cells' | 'media'>): number | undefined;
}

/** What a row asked its output to be, as far as the documents name it. */
export interface AskedOutput {
  width?: number;
  height?: number;
  seconds?: number;
}

/** What a price rule can name. */
export interface PricedCells {
  model: string | undefined;
  tier: string | undefined;
  steps: number | undefined;
  resolution: string | undefined;
  mode: string | undefined;
  audio: boolean | undefined;
  sound: string | undefined;
}

/** A point where it is known, else bounds; `hi` null = nothing bounds it. */
export interface Quantity {
  lo: number;
  hi: number | null;
}

export type Quantities = Partial<Record<PriceUnit, Quantity>>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A number, or one that a cell holds as text. */
export function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function sizeIn(cells: Row['cells']): AskedOutput {
  const width = numberIn(cells.width);
  const height = numberIn(cells.height);
  return width === undefined || height === undefined ? {} : { width, height };
}

export function lasting(seconds: number | undefined): AskedOutput {
  return seconds === undefined ? {} : { seconds };
}

/** How much of a unit is billed, where only a part of it is known. */

export const UNKNOWN: Quantity = { lo: 0, hi: null };

/** A clip "may differ from the request by a fraction of a second" (service document 1, Generated clip result). */
const CLIP_SECONDS_APART = 1;
/** A length that was added up from samples is a whole number but for this. */
const LENGTH_NOISE_SECONDS = 1e-3;

export function exactly(units: number): Quantity {
  return { lo: units, hi: units };
}

export function upTo(units: number): Quantity {
  return { lo: 0, hi: units };
}

/** The point where there is one. */
export function knownOr(seconds: number | undefined, otherwise: Quantity): Quantity {
  return seconds === undefined ? otherwise : exactly(seconds);
}

export function within({ lo, hi }: Quantity, most: number): Quantity {
  return { lo: Math.min(lo, most), hi: hi === null ? most : Math.min(hi, most) };
}

/** An output that is as long as was asked for, or as its speech, but for a fraction of a second. */
export function about(seconds: number | undefined): Quantity {
  if (seconds === undefined) return UNKNOWN;
  return { lo: Math.max(0, seconds - CLIP_SECONDS_APART), hi: seconds + CLIP_SECONDS_APART };
}

/** The length of clips together; how a part of a second is billed is not shown. */
export function lengthOf(clips: readonly Media[] = []): Quantity {
  const sum = { lo: 0, hi: 0 };
  let isKnown = true;
  for (const clip of clips) {
    const seconds = knownSeconds(clip);
    if (seconds === undefined) {
      isKnown = false;
      continue;
    }
    const { lo, hi } = wholeSeconds(seconds);
    sum.lo += lo;
    sum.hi += hi;
  }
  return isKnown ? sum : { lo: sum.lo, hi: null };
}

export function wholeSeconds(seconds: number): { lo: number; hi: number } {
  return { lo: Math.floor(seconds + LENGTH_NOISE_SECONDS), hi: Math.ceil(seconds - LENGTH_NOISE_SECONDS) };
}

export function knownSeconds(media: Media | undefined): number | undefined {
  return media?.source === 'blob' ? media.seconds : undefined;
}
