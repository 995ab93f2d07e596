import type { z } from 'zod';

/** Small JSON documents as bytes: written with a final newline, checked by a schema when they are read. */

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
