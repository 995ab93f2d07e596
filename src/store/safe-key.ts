import { StoreError } from './port.js';

/** What a key may look like: the one rule that keeps every file of a store below its root. */

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

/** True for one path segment that is safe on every file system and in every bucket. */
export function isSafeSegment(segment: string): boolean {
  return SEGMENT.test(segment) && !segment.includes('..') && !segment.endsWith('.');
}

/** The segments of a key; throws a StoreError `BAD_KEY` for anything that is not a safe relative path. */
export function segmentsOf(key: string): string[] {
  const segments = key.split('/');
  if (!segments.every(isSafeSegment)) {
    throw new StoreError('BAD_KEY', `not a safe name for a stored file: ${JSON.stringify(key.slice(0, 200))}`, key);
  }
  return segments;
}

/** Code-unit order, the same on every machine whatever its language. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
