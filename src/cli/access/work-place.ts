import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { engineStatus } from '../../engine/engine-client.js';
import type { EngineState } from '../../engine/engine-status.js';
import { configuredTemporalAddress } from '../../temporal/profile.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** Where the work is done; apart from `work-access.ts`, which loads Temporal's client. */

/**
 * The address of a shared Temporal, if the settings or the SDK's own variables name one. Throws a UserError (exit 4) where
 * none does and there are keys for it: nothing would be encrypted.
 */
export function sharedAddress(session: Session): string | undefined {
  const { address, keys } = session.config.temporal;
  const shared = address ?? configuredTemporalAddress();
  if (shared === undefined && keys !== null) {
    throw new UserError(
      "temporal.keys is for a shared Temporal, and none is named: set TEMPORAL_ADDRESS, or leave it out, since the engine's database lies in the data folder, where only you can read",
      EXIT.configuration,
    );
  }
  return shared;
}

/** The engine of the data folder, when one runs and is ready. */
export async function runningEngine(session: Session): Promise<EngineState | undefined> {
  const state = await engineStatus(session.config.data);
  return state?.state === 'ready' ? state : undefined;
}

/** By this an engine knows clients of its own build; sources that run unbuilt have none. */
export function buildId(): string {
  const path = fileURLToPath(new URL('../../../build-id', import.meta.url));
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unbuilt';
}
