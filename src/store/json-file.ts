import type { z } from 'zod';
import { decodeJson, encodeJson } from './json-text.js';
import { type Store, StoreError } from './port.js';

/** Small JSON files in a store. */
export { decodeJson, encodeJson } from './json-text.js';

/** The bytes of a document, checked as reading will check them: nothing is written that could not be read again. */
export function encodeAs<T>(schema: z.ZodType<T>, value: T): Uint8Array {
  const bytes = encodeJson(value);
  if (decodeJson(schema, bytes) !== undefined) return bytes;
  throw new TypeError('a record was to be written that nobody could read again');
}

/** The value, undefined when the key is absent; throws a StoreError `DAMAGED` when it cannot be understood. */
export async function readJson<T>(store: Store, key: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  const value = decodeJson(schema, bytes);
  if (value !== undefined) return value;
  throw new StoreError('DAMAGED', `'${key}' in ${store.location} is damaged or of a newer callsheet`, key);
}
