import type { Switchboard } from '../callbacks/receiver.js';
import { createCallbackDesk } from '../callbacks/take-callback.js';
import type { AccountSettings } from '../contract/account.js';
import type { Log } from '../domain/log.js';
import type { S3Environment } from '../domain/s3.js';
import { createCallbacks } from '../home/handles.js';
import { createPlaces } from '../store/open-store.js';
import { createMessenger } from './messenger.js';
import type { WorkerPlace } from './options.js';

/** Callbacks of an account reach its workflows, where its settings say that it listens for some. */
export async function receiveCallbacks(
  receiving: { switchboard: Switchboard; place: WorkerPlace; log: Log; onError: (error: unknown) => void },
  { account, home, timeScale, callbacks, s3 }: AccountSettings,
  environment: S3Environment,
): Promise<void> {
  const { switchboard, place, log, onError } = receiving;
  if (callbacks.listen === null) return switchboard.disconnect(account);
  const { openStore } = createPlaces({ settings: s3, environment });
  const desk = createCallbackDesk({
    account,
    callbacks: createCallbacks(openStore(home, 'private'), account),
    messenger: createMessenger(place.client, account, timeScale),
    timeScale,
    log,
    onError,
  });
  await switchboard.connect(account, callbacks.listen, desk);
}
