/** Everything random in the emulator: numbers and identifiers that follow from the seed and a label. */
import { createHash } from 'node:crypto';

/** A random source; the same seed and the same label always give the same sequence. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A number in [min, max). */
  between(min: number, max: number): number;
  /** A number of the range; either end as likely as anything between. */
  within(range: readonly [min: number, max: number]): number;
  chance(probability: number): boolean;
  /** A whole number from min to max, both included. */
  whole(min: number, max: number): number;
  /** One of the given values. */
  pick<T>(values: readonly [T, ...T[]]): T;
  /** `length` characters of the alphabet. */
  text(length: number, alphabet: string): string;
}

export const ALPHABET_URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
export const ALPHABET_LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const ALPHABET_HEX = '0123456789abcdef';
export const ALPHABET_DIGITS = '0123456789';

/** Makes the random source of one thing (a job, a fault rule) from the emulator's seed and the thing's label. */
export function createRandom(seed: number, label: string): Random {
  let state = createHash('sha256').update(`${seed}\n${label}`).digest().readUInt32LE(0);
  // Mulberry32: small, quick, and good enough for render times and handles.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between: (min, max) => min + next() * (max - min),
    within([min, max]) {
      const place = next() * 3;
      return place < 1 ? min : place < 2 ? max : min + (place - 2) * (max - min);
    },
    chance: (probability) => next() < probability,
    whole,
    pick: (values) => values[whole(0, values.length - 1)] ?? values[0],
    text: (length, alphabet) => Array.from({ length }, () => alphabet.charAt(whole(0, alphabet.length - 1))).join(''),
  };
}
