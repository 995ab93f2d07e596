import { DefaultLogger, Runtime } from '@temporalio/worker';
import { accountSettings } from '../../config/make-config.js';
import { isS3Address } from '../../domain/s3.js';
import { awaitedText } from '../../engine/engine-status.js';
import { createKeySource } from '../../worker/key-source.js';
import { createLogger } from '../../worker/logger.js';
import { openPlace, startAccountWorker } from '../../worker.js';
import { sharedAddress } from '../access/work-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** Serves the settings' account on a shared Temporal until it is told to end; its log is JSON on standard error. */
export async function serveShared(session: Session, isSharedFolder: boolean): Promise<number> {
  const { config } = session;
  const { io } = session.cli;
  const shared = sharedAddress(session);
  if (shared === undefined) {
    throw new UserError(
      'a worker needs a shared Temporal: set TEMPORAL_ADDRESS or --temporal-address; on one machine `callsheet run` is enough',
      EXIT.configuration,
    );
  }
  if (!isSharedFolder && !isS3Address(config.home)) {
    throw new UserError(`every worker and client must reach the home ${config.home}: say --shared-folder when they do`);
  }
  const settings = accountSettings(config);
  const { secret, file } = await session.apiKey();
  const log = createLogger('worker');
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message }) => log.warn({ level }, message)),
    shutdownSignals: [],
  });
  const { address, namespace } = config.temporal;
  const options = { ...(address === null ? {} : { address }), ...(namespace === null ? {} : { namespace }) };
  const place = await openPlace(options);
  const worker = await startAccountWorker({
    place,
    settings,
    key: createKeySource(file === undefined ? { value: secret.reveal() } : { file }),
    log,
  });
  log.info({ account: settings.account, address: shared, namespace: place.namespace }, 'the worker serves');
  let isDraining = false;
  const drain = (): void => {
    if (isDraining) io.quit(EXIT.detached);
    isDraining = true;
    void worker.shutdown();
    const calls = worker.awaited();
    const waits = calls.length === 0 ? 'what is under way ends first' : awaitedText(calls);
    log.info({ paidCalls: calls.length }, `draining: nothing new is claimed; ${waits}`);
  };
  const listeners = [io.onInterrupt(drain), io.onTerminate(drain)];
  try {
    await worker.ended;
    return EXIT.done;
  } finally {
    for (const listener of listeners) listener();
    await place.client.connection.close();
  }
}
