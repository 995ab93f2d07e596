import type { Json } from '../domain/json.js';
import type { Media } from '../domain/row.js';
import type { AskedOutput, Cells, Quantity } from './fact.js';

/** What the facts of families are written with: lives, what cells ask for, and how much of a unit is billed. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The shortest gap between polls where a family's documents show no other (service document 2, "What the service does", 2). */
export const POLL_BASE_MS = 5_000;

/** A number, or one that a cell holds as text. */
export function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function sizeIn(cells: Cells): AskedOutput {
  const width = numberIn(cells.width);
  const height = numberIn(cells.height);
  return width === undefined || height === undefined ? {} : { width, height };
}

export function lasting(duration: Json | undefined): AskedOutput {
  const seconds = numberIn(duration);
  return seconds === undefined ? {} : { seconds };
}

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
  const lengths = clips.map(knownSeconds);
  const known = lengths.flatMap((seconds) => (seconds === undefined ? [] : [wholeSeconds(seconds)]));
  const lo = known.reduce((sum, one) => sum + one.lo, 0);
  return { lo, hi: known.length < lengths.length ? null : known.reduce((sum, one) => sum + one.hi, 0) };
}

export function wholeSeconds(seconds: number): { lo: number; hi: number } {
  return { lo: Math.floor(seconds + LENGTH_NOISE_SECONDS), hi: Math.ceil(seconds - LENGTH_NOISE_SECONDS) };
}

export function knownSeconds(media: Media | undefined): number | undefined {
  return media?.source === 'blob' ? media.seconds : undefined;
}
