import type { z } from 'zod';
import { decodeJson, encodeJson } from './json-text.js';
import type { Store } from './port.js';

/** Small JSON files in a store. */
export { decodeJson, encodeJson } from './json-text.js';

/** The bytes of a document, checked as reading will check them: nothing is written that could not be read again. */
export function encodeAs<T>(schema: z.ZodType<T>, value: T): Uint8Array {
  const bytes = encodeJson(value);
  if (decodeJson(schema, bytes) !== undefined) return bytes;
  throw new TypeError('a record was to be written that nobody could read again');
}

/** What is read where a document is there and cannot be understood; undefined = as if it were not there. */
export type WhenDamaged<T> = () => T | undefined | Promise<T | undefined>;

/**
 * The value, undefined when the key is absent. A document that a disk has damaged never throws: each one says what it
 * is taken for then, on the safe side for money: rebuilt from what lies beside it, or the worst that it could have
 * said, or nothing where it was only there to save time. `ledger verify` names it, `ledger repair` sets it aside.
 */
export async function readJson<T>(
  store: Store,
  key: string,
  schema: z.ZodType<T>,
  whenDamaged: WhenDamaged<T>,
): Promise<T | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  return decodeJson(schema, bytes) ?? whenDamaged();
}

/** For documents that only save time, or that can be had again. */
export const forgotten = (): undefined => undefined;
