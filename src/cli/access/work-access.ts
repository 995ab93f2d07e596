import { accountSettings } from '../../config/account-settings.js';
import type { JsonObject } from '../../domain/json.js';
import { s3Environment } from '../../domain/s3.js';
import { type Engine, engineStatus, ensureEngine } from '../../engine/engine-client.js';
import type { EngineState } from '../../engine/engine-status.js';
import {
  configuredTemporalAddress,
  connectTemporal,
  type TemporalClient,
  type TemporalOptions,
} from '../../temporal.js';
import { buildId } from '../product.js';
import type { Session } from '../session.js';

/** Where the workflows run: the engine of the data folder, or a shared Temporal. */
export interface WorkAccess {
  temporal: TemporalClient;
  /** A team's Temporal, whose workers are others' processes. */
  isShared: boolean;
  /** Absent with a shared Temporal. */
  engine?: Engine;
  close(): Promise<void>;
}

/** The address of a shared Temporal, if the settings or the SDK's own variables name one. */
export function sharedAddress(session: Session): string | undefined {
  return session.config.temporal.address ?? configuredTemporalAddress();
}

/** Connects to the shared Temporal, or starts or joins the engine and hands it the account and its key. */
export async function startWork(session: Session): Promise<WorkAccess> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const engine = await ensureEngine({
    dataFolder: session.config.data,
    buildId: buildId(),
    onProgress: (line) => session.terminal.note(line),
  });
  const { secret, file } = await session.apiKey();
  await engine.register({
    account: session.config.account.name,
    settings: { ...accountSettings(session.config) } as unknown as JsonObject,
    key: file === undefined ? { value: secret.reveal() } : { file },
    s3: s3Environment(session.cli.io.env),
  });
  return withConnection({ embedded: true, address: engine.address, namespace: engine.namespace }, engine);
}

/**
 * For orders to a batch: an engine that serves the account already keeps the settings and the key that it was given,
 * since this command may have been started with fewer flags than the one that runs the batch.
 */
export async function resumeWork(session: Session): Promise<WorkAccess> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const state = await runningEngine(session);
  const isServed = state?.buildId === buildId() && state.accounts.includes(session.config.account.name);
  if (!isServed || state.address === null) return startWork(session);
  return withConnection({ embedded: true, address: state.address, namespace: state.namespace });
}

/** Only when something already runs: undefined when no engine does. */
export async function joinWork(session: Session): Promise<WorkAccess | undefined> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const state = await runningEngine(session);
  if (state?.address == null) return undefined;
  return withConnection({ embedded: true, address: state.address, namespace: state.namespace });
}

/** The engine of the data folder, when one runs and is ready. */
export async function runningEngine(session: Session): Promise<EngineState | undefined> {
  const state = await engineStatus(session.config.data);
  return state?.state === 'ready' ? state : undefined;
}

async function connectShared(session: Session): Promise<WorkAccess> {
  const { address, namespace } = session.config.temporal;
  return withConnection({ ...(address === null ? {} : { address }), ...(namespace === null ? {} : { namespace }) });
}

async function withConnection(options: TemporalOptions, engine?: Engine): Promise<WorkAccess> {
  const temporal = await connectTemporal(options);
  const isShared = options.embedded !== true;
  return { temporal, isShared, ...(engine === undefined ? {} : { engine }), close: () => temporal.close() };
}
