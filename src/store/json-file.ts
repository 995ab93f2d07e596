import type { z } from 'zod';
import { type Store, StoreError } from './port.js';

/** Small JSON files in a store: written with a final newline, checked by a schema when they are read. */

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** The value, or undefined when the bytes are torn or of another form. */
export function decodeJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  const read = schema.safeParse(value);
  return read.success ? read.data : undefined;
}

/** The value, undefined when the key is absent; throws a StoreError `DAMAGED` when it cannot be understood. */
export async function readJson<T>(store: Store, key: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  const value = decodeJson(schema, bytes);
  if (value !== undefined) return value;
  throw new StoreError('DAMAGED', `'${key}' in ${store.location} is damaged or of a newer callsheet`, key);
}
