import { startReceiver } from '../../callbacks/receiver.js';
import { createCallbackDesk } from '../../callbacks/take-callback.js';
import { accountSettings, requiredBaseUrl, withFlagsOfAccount } from '../../config/make-config.js';
import { isS3Address } from '../../domain/s3.js';
import { awaitedText } from '../../engine/engine-status.js';
import { PayloadKeyError } from '../../temporal/payload-codec.js';
import { createKeySource } from '../../worker/key-source.js';
import { createLogger } from '../../worker/logger.js';
import { createMessenger } from '../../worker/messenger.js';
import { openHomeAccess } from '../access/home-access.js';
import { givenPlace } from '../access/shared-place.js';
import { joinWork } from '../access/work-access.js';
import { sharedAddress } from '../access/work-place.js';
import { drainAtSignals } from '../io.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** Serves the settings' account on a shared Temporal until it is told to end; its log is JSON on standard error. */
export async function serveShared(session: Session, isSharedFolder: boolean): Promise<number> {
  const { config } = session;
  const { io } = session.cli;
  const shared = requireShared(
    session,
    'a worker needs a shared Temporal: set TEMPORAL_ADDRESS or --temporal-address; on one machine `callsheet run` is enough',
  );
  requireReached(config.home, isSharedFolder);
  // Only a worker needs the native bridge.
  const { DefaultLogger, Runtime } = await import('@temporalio/worker');
  const { openPlace, startAccountWorker } = await import('../../worker.js');
  const settings = accountSettings(withFlagsOfAccount(config));
  const { secret, file } = await session.apiKey();
  const log = createLogger('worker');
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error } = meta ?? {};
      log.warn({ level, ...(error instanceof PayloadKeyError && { error: error.message }) }, message);
    }),
    shutdownSignals: [],
  });
  const place = await openPlace(await givenPlace(session));
  const worker = await startAccountWorker({
    place,
    settings,
    key: createKeySource(file === undefined ? { value: secret.reveal() } : { file }),
    log,
  });
  log.info({ account: settings.account, address: shared, namespace: place.namespace }, 'the worker serves');
  const listening = drainAtSignals(io, () => {
    void worker.shutdown();
    const calls = worker.awaited();
    const waits = calls.length === 0 ? 'what is under way ends first' : awaitedText(calls);
    log.info({ paidCalls: calls.length }, `draining: nothing new is claimed; ${waits}`);
  });
  try {
    await worker.ended;
    return EXIT.done;
  } finally {
    listening();
    await place.client.connection.close();
  }
}

/** Receives callbacks as a client of a shared Temporal and of the home, until it is told to end. */
export async function receiveShared(session: Session, isSharedFolder: boolean): Promise<number> {
  const { config } = session;
  const { io } = session.cli;
  requiredBaseUrl(config);
  requireShared(
    session,
    'this is for a shared Temporal (TEMPORAL_ADDRESS or --temporal-address): the engine receives callbacks by itself where callbacks.listen is set',
  );
  const { listen } = config.callbacks;
  if (listen === null) {
    throw new UserError('where to listen is missing: set callbacks.listen or --listen host:port', EXIT.configuration);
  }
  requireReached(config.home, isSharedFolder);
  const log = createLogger('callbacks');
  const { home, callbacks } = openHomeAccess(config);
  const work = await joinWork(session);
  if (work === undefined) throw new UserError('no Temporal answers', EXIT.unreachable);
  const onError = (error: unknown): void => log.error({ error: String(error) }, 'a callback could not be passed on');
  const desk = createCallbackDesk({
    account: home.account,
    callbacks,
    messenger: createMessenger(work.temporal.client, home.account, config.timeScale),
    timeScale: config.timeScale,
    log,
    onError,
  });
  try {
    const receiver = await startReceiver({ listen, desk, onError }).catch((error: unknown) => {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new UserError(`callbacks cannot be received at ${listen} (${why}): change --listen`, EXIT.configuration);
    });
    log.info({ account: home.account, address: receiver.address }, 'callbacks are received');
    await new Promise<void>((resolve) => {
      for (const on of [io.onInterrupt, io.onTerminate]) on(resolve);
    });
    await receiver.close();
    return EXIT.done;
  } finally {
    await work.close();
  }
}

/** The address of the shared Temporal that this is for. */
function requireShared(session: Session, otherwise: string): string {
  const address = sharedAddress(session);
  if (address === undefined) throw new UserError(otherwise, EXIT.configuration);
  return address;
}

function requireReached(home: string, isSharedFolder: boolean): void {
  if (isSharedFolder || isS3Address(home)) return;
  throw new UserError(`every worker and client must reach the home ${home}: say --shared-folder when they do`);
}
