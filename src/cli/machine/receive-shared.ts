import { startReceiver } from '../../callbacks/receiver.js';
import { createCallbackDesk } from '../../callbacks/take-callback.js';
import { requiredBaseUrl } from '../../config/make-config.js';
import { createLogger } from '../../worker/logger.js';
import { createMessenger } from '../../worker/messenger.js';
import { openHomeAccess } from '../access/home-access.js';
import { joinWork, sharedAddress } from '../access/work-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** Receives callbacks as a client of a shared Temporal and of the home, until it is told to end. */
export async function receiveShared(session: Session, isSharedFolder: boolean): Promise<number> {
  const { config } = session;
  const { io } = session.cli;
  requiredBaseUrl(config);
  const listen = requiredPlace(session, isSharedFolder);
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

function requiredPlace(session: Session, isSharedFolder: boolean): string {
  const { callbacks, home } = session.config;
  if (sharedAddress(session) === undefined) {
    throw new UserError(
      'this is for a shared Temporal (TEMPORAL_ADDRESS or --temporal-address): the engine receives callbacks by itself where callbacks.listen is set',
      EXIT.configuration,
    );
  }
  if (callbacks.listen === null) {
    throw new UserError('where to listen is missing: set callbacks.listen or --listen host:port', EXIT.configuration);
  }
  if (!isSharedFolder && !home.startsWith('s3://')) {
    throw new UserError(`every worker and client must reach the home ${home}: say --shared-folder when they do`);
  }
  return callbacks.listen;
}
