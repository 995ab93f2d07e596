import type { z } from 'zod';
import { decodeJson as decode } from '../../src/store/json-text.js';

/** The product's JSON, read once: the bytes of the simulation's store never change, so neither does what they say. */
export { encodeJson } from '../../src/store/json-text.js';

const read = new WeakMap<Uint8Array, { schema: unknown; value: unknown }>();

export function decodeJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  const known = read.get(bytes);
  if (known?.schema === schema) return known.value as T | undefined;
  const value = decode(schema, bytes);
  read.set(bytes, { schema, value });
  return value;
}
