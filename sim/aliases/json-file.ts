import type { z } from 'zod';
import { decodeJson as decode } from '../../src/store/json-file.js';
import { type Store, StoreError } from '../../src/store/port.js';

/** The product's JSON files, read once: the bytes of this store never change, so neither does what they say. */
export { encodeJson } from '../../src/store/json-file.js';

const read = new WeakMap<Uint8Array, { schema: unknown; value: unknown }>();

export function decodeJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  const known = read.get(bytes);
  if (known?.schema === schema) return known.value as T | undefined;
  const value = decode(schema, bytes);
  read.set(bytes, { schema, value });
  return value;
}

export async function readJson<T>(store: Store, key: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  const value = decodeJson(schema, bytes);
  if (value !== undefined) return value;
  throw new StoreError('DAMAGED', `'${key}' in ${store.location} is damaged or of a newer callsheet`, key);
}
