import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AccountSettings } from '../contract/account.js';

/**
 * What commands said of an account, for an engine that starts anew: a command that says nothing of it, as
 * `resume --all` after a reboot, must not change what open batches run with.
 */

const keptSchema = z.object({
  schema: z.literal(1),
  exclusive: z.boolean(),
  limits: z.object({ concurrency: z.number().nullable(), rpm: z.number().nullable() }),
  waits: z.object({
    lambdaMs: z.number(),
    thetaMs: z.number(),
    rhoMs: z.number(),
    syncMaxMs: z.number(),
    renderMaxMs: z.record(z.string(), z.number()),
  }),
});
type Kept = Pick<AccountSettings, 'exclusive' | 'limits' | 'waits'>;

/** Undefined where nothing was kept, or cannot be read. */
export function readKeptSettings(folder: string, account: string): Kept | undefined {
  try {
    const { schema: _, ...kept } = keptSchema.parse(JSON.parse(readFileSync(placeOf(folder, account), 'utf8')));
    return kept;
  } catch {
    // As for an account that no command has handed over yet.
    return undefined;
  }
}

/** Throws where the folder cannot be written. */
export function keepSettings(folder: string, { account, exclusive, limits, waits }: AccountSettings): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = placeOf(folder, account);
  writeFileSync(`${place}.new`, JSON.stringify({ schema: 1, exclusive, limits, waits }), { mode: 0o600 });
  renameSync(`${place}.new`, place);
}

function placeOf(folder: string, account: string): string {
  return join(folder, `${account}.json`);
}
