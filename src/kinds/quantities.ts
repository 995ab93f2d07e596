import type { Media } from '../domain/row.js';
import type { Quantity } from './fact.js';

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
