import { z } from 'zod';
import type { BatchOptions } from '../domain/batch-options.js';
import { encodeJson, readJson } from '../store/json-file.js';
import { StoreError } from '../store/port.js';
import type { Home } from './home.js';

/** What `run` fixed for a batch, kept beside its rows, so that no path or place is in Temporal. */

export const optionsSchema: z.ZodType<BatchOptions> = z.object({
  schema: z.literal(1),
  out: z.string(),
  onExists: z.enum(['fail', 'skip', 'version']),
  sidecar: z.exactOptional(z.boolean()),
  responseFormat: z.enum(['url', 'b64_json']),
  manifestFolder: z.string(),
  manifest: z.exactOptional(z.string()),
  maxOutputBytes: z.number(),
});

/** What a batch goes on with where its options cannot be read: the next `run` writes them anew. */
const LOST = {
  schema: 1,
  onExists: 'fail',
  responseFormat: 'url',
  manifestFolder: '/',
  maxOutputBytes: 4 * 1024 ** 3,
} as const;

/** Writes or replaces a batch's options. */
export async function writeBatchOptions(home: Home, batch: string, options: BatchOptions): Promise<void> {
  await home.store.put(home.keys.options(batch), encodeJson(options));
}

/** A batch's options; a StoreError `ENOENT` when it was never run from this home. */
export async function readBatchOptions(home: Home, batch: string): Promise<BatchOptions> {
  const key = home.keys.options(batch);
  const options = await readJson(home.store, key, optionsSchema, async () => {
    const out = (await home.readBatch(batch))?.out;
    return out === undefined ? undefined : { ...LOST, out };
  });
  if (options) return options;
  throw new StoreError('ENOENT', `batch '${batch}' was never run from ${home.store.location}`, key);
}
