import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defined } from '../../domain/defined.js';
import { engineStatus } from '../../engine/engine-client.js';
import type { EngineState } from '../../engine/engine-status.js';
import { configuredTemporalAddress } from '../../temporal/profile.js';
import type { Session } from '../session.js';

/** Where the work is done; apart from `work-access.ts`, which loads Temporal's client. */

/** The address of a shared Temporal, if the settings or the SDK's own variables name one. */
export function sharedAddress(session: Session): string | undefined {
  return session.config.temporal.address ?? configuredTemporalAddress();
}

/** What the settings say of a shared Temporal; the SDK's own variables say the rest. */
export function givenPlace({ config }: Session): { address?: string; namespace?: string } {
  const { address, namespace } = config.temporal;
  return defined({ address: address ?? undefined, namespace: namespace ?? undefined });
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
