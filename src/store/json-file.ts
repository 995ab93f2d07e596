import type { z } from 'zod';
import { decodeJson } from './json-text.js';
import { type Store, StoreError } from './port.js';

/** Small JSON files in a store. */
export { decodeJson, encodeJson } from './json-text.js';

/** The value, undefined when the key is absent; throws a StoreError `DAMAGED` when it cannot be understood. */
export async function readJson<T>(store: Store, key: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  const value = decodeJson(schema, bytes);
  if (value !== undefined) return value;
  throw new StoreError('DAMAGED', `'${key}' in ${store.location} is damaged or of a newer callsheet`, key);
}
