import { accountSettings } from '../../config/make-config.js';
import type { AccountSettings } from '../../contract/account.js';
import { semaphoreId } from '../../contract/names.js';
import type { JsonObject } from '../../domain/json.js';
import { isS3Address, isUsualS3, namesCredentials, type S3Environment, s3Environment } from '../../domain/s3.js';
import { isEngineKey } from '../../engine/control.js';
import { ensureEngine } from '../../engine/engine-client.js';
import { EngineError } from '../../engine/engine-error.js';
import type { EngineState } from '../../engine/engine-status.js';
import type { KeyProof } from '../../engine/registration.js';
import { wasStopped } from '../../engine/stop-engine.js';
import { PayloadKeyError } from '../../temporal/payload-codec.js';
import { bounded, connectTemporal, type TemporalClient, type TemporalOptions } from '../../temporal.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { sayMeanwhile } from '../terminal.js';
import { givenPlace } from './shared-place.js';
import { buildId, runningEngine, sharedAddress } from './work-place.js';

/** Where the workflows run: the engine of the data folder, or a shared Temporal. */
export interface WorkAccess {
  temporal: TemporalClient;
  /** A team's Temporal, whose workers are others' processes. */
  isShared: boolean;
  close(): Promise<void>;
}

/** Connects to the shared Temporal, or starts or joins the engine and hands it the account and its key. */
export async function startWork(session: Session): Promise<WorkAccess> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const engine = await ensureEngine({
    dataFolder: session.config.data,
    buildId: buildId(),
    onProgress: (line) => session.terminal.note(line),
  });
  const isUnsaid = session.origins.get('account.exclusive')?.name === 'default';
  const { home, out, s3 } = session.config;
  const settings: AccountSettings = {
    ...accountSettings(session.config),
    // Prices belong to the batches that they were given for.
    prices: [],
    ...(isUnsaid && { isExclusiveUnsaid: true }),
    ...(!isS3Address(home) && !isS3Address(out) && isUsualS3(s3) && { isS3Unsaid: true }),
  };
  const given = { ...(await registration(session, settings)), s3: s3Environment(session.cli.io.env) };
  const proof = await engine.register(given);
  if (session.keyOrigin !== undefined) tellKeptKey(session, proof);
  return connectEngine(engine.address, engine.namespace);
}

/**
 * For orders to a batch: an engine that serves the account already keeps the settings and the key that it was given,
 * since this command may have been started with fewer flags than the one that runs the batch.
 */
export async function resumeWork(session: Session, s3 = broughtS3(session)): Promise<WorkAccess> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const state = await runningEngine(session);
  const isServed = state?.buildId === buildId() && state.accounts.includes(session.config.account.name);
  if (!isServed || state.address === null) return startWork(session);
  await offerNews(session, state, s3);
  return connectEngine(state.address, state.namespace);
}

/** Others may have been handed over since a page was opened. */
function broughtS3({ cli: { io } }: Session): S3Environment {
  return io.isOfPage ? {} : s3Environment(io.env);
}

/**
 * A command that was given another key than the engine has hands it on: after a 401 the newest one is tried. One that
 * names whom to tell, or has S3 credentials, hands that on too.
 */
async function offerNews(session: Session, state: EngineState, s3: S3Environment): Promise<void> {
  const { data, account, notify, baseUrl } = session.config;
  if (session.keyOrigin === undefined) return;
  const { secret } = await session.apiKey();
  const hasMore = baseUrl !== null && (notify.length > 0 || namesCredentials(s3));
  if (!hasMore && (await isEngineKey(data, account.name, secret.reveal()))) return;
  const engine = await ensureEngine({ dataFolder: data, buildId: state.buildId });
  const handed = { ...(await registration(session, accountSettings(session.config))), s3, isKeyOnly: true };
  tellKeptKey(session, await engine.register(handed));
}

function tellKeptKey({ terminal }: Session, proof: KeyProof): void {
  if (proof === 'refused') {
    terminal.warn('the service refused the API key of this command: the engine keeps the one that it had');
  } else if (proof === 'unknown') {
    terminal.warn(
      'the service said nothing of the API key of this command: the engine keeps the one that it had, and the same command hands it over again',
    );
  }
}

async function registration(session: Session, settings: AccountSettings) {
  const { secret, file } = await session.apiKey();
  const key = file === undefined ? { value: secret.reveal() } : { file };
  return { account: settings.account, settings: { ...settings } as unknown as JsonObject, key };
}

/**
 * For whoever only follows: starts a lost engine again, but not one that a person ended, and follows an engine of
 * another build. `isTold`: whether a wait for a shared Temporal is said. Throws an EngineError `stopped_by_order`.
 */
export async function rejoinWork(session: Session, { isTold = true } = {}): Promise<WorkAccess> {
  const { data } = session.config;
  if (sharedAddress(session) !== undefined) return connectShared(session, isTold);
  const state = await runningEngine(session);
  if (state?.address != null && state.buildId !== buildId()) return connectEngine(state.address, state.namespace);
  if (state === undefined && wasStopped(data)) {
    throw new EngineError(
      'stopped_by_order',
      `the engine in ${data} was stopped by order, so nothing is submitted: \`${commandHint(session, 'resume --all')}\` goes on`,
    );
  }
  // Whoever follows may have been started with credentials that ended since, and others were handed over.
  return resumeWork(session, {});
}

/** Only when something already runs, of whatever build: undefined when no engine does. */
export async function joinWork(session: Session): Promise<WorkAccess | undefined> {
  if (sharedAddress(session) !== undefined) return connectShared(session);
  const state = await runningEngine(session);
  if (state?.address == null) return undefined;
  return connectEngine(state.address, state.namespace);
}

function connectEngine(address: string, namespace: string): Promise<WorkAccess> {
  return withConnection({ embedded: true, address, namespace });
}

/** One that is being started again comes back within the time that is given to it: that is said, and not cut short. */
async function connectShared(session: Session, isTold = true): Promise<WorkAccess> {
  const place = await givenPlace(session);
  const connect = () => withConnection(place);
  const waiting = `waiting for the Temporal server at ${sharedAddress(session)}`;
  const work = await (isTold ? sayMeanwhile(session.terminal, waiting, connect) : connect());
  await requireKey(work, session.config.account.name);
  return work;
}

/** Throws `PayloadKeyError` before anything is sent that others could read, or that the workers could not. */
async function requireKey({ temporal: { client, connection }, close }: WorkAccess, account: string): Promise<void> {
  const look = () => client.workflow.getHandle(semaphoreId(account)).describe();
  try {
    await bounded(connection, look);
  } catch (error) {
    // Everything else, as that nobody has worked for the account yet, is said by what the command does next.
    if (!(error instanceof PayloadKeyError)) return;
    await close();
    throw error;
  }
}

async function withConnection(options: TemporalOptions): Promise<WorkAccess> {
  const temporal = await connectTemporal(options);
  return { temporal, isShared: options.embedded !== true, close: () => temporal.close() };
}
