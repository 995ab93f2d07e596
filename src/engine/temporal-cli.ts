/** The Temporal program for the embedded engine: the same order, and the same code, as the set-up. */

import { type FoundTemporalCli, findTemporalCli } from '#scripts/temporal-cli.mjs';
import { ensureTemporalCli } from '#scripts/temporal-install.mjs';
import { EngineError } from './engine-error.js';

/** Finds the program or gets it; `onProgress` receives a line every few seconds while that takes time. */
export async function locateTemporalCli(onProgress: (line: string) => void): Promise<FoundTemporalCli> {
  try {
    return await ensureTemporalCli(process.env, onProgress);
  } catch (cause) {
    throw new EngineError('temporal_cli_missing', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What there is now, without getting anything; for `doctor`. `rejected` says why each program found is not taken. */
export function lookForTemporalCli(): FoundTemporalCli | { rejected: string[] } {
  return findTemporalCli(process.env);
}
