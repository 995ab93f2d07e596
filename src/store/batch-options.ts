import { z } from 'zod';
import type { BatchOptions } from '../domain/batch-options.js';
import type { Home } from './home.js';
import { encodeJson, readJson } from './json-file.js';
import { StoreError } from './port.js';

/** What `run` fixed for a batch, kept beside its rows, so that no path or place is in Temporal. */

const optionsSchema: z.ZodType<BatchOptions> = z.object({
  schema: z.literal(1),
  out: z.string(),
  onExists: z.enum(['fail', 'skip', 'version']),
  sidecar: z.exactOptional(z.boolean()),
  responseFormat: z.enum(['url', 'b64_json']),
  manifestFolder: z.string(),
  manifest: z.exactOptional(z.string()),
  maxOutputBytes: z.number(),
});

/** Writes or replaces a batch's options. */
export async function writeBatchOptions(home: Home, batch: string, options: BatchOptions): Promise<void> {
  await home.store.put(optionsKey(home, batch), encodeJson(options));
}

/** A batch's options; a StoreError `ENOENT` when it was never run from this home. */
export async function readBatchOptions(home: Home, batch: string): Promise<BatchOptions> {
  const options = await readJson(home.store, optionsKey(home, batch), optionsSchema);
  if (options) return options;
  throw new StoreError('ENOENT', `batch '${batch}' was never run from ${home.store.location}`, optionsKey(home, batch));
}

function optionsKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'options.json');
}
