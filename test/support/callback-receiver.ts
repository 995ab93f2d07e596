// A receiver of callbacks over a stack's home and Temporal server, as an engine or `callsheet callbacks` runs it.
import { createServer } from 'node:net';
import { type CallbackReceiver, startReceiver } from '../../src/callbacks/receiver.js';
import { createCallbackDesk } from '../../src/callbacks/take-callback.js';
import { createCallbacks } from '../../src/home/handles.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createMessenger } from '../../src/worker/messenger.js';
import type { Stack } from './stack.js';

/** A place on this machine where nobody listens. */
export function freePlace(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(`127.0.0.1:${port}`));
    });
  });
}

/** Listens where the stack's settings say. */
export function receiveFor({ settings, temporal }: Stack): Promise<CallbackReceiver> {
  const { account, home, timeScale, callbacks } = settings;
  const onError = (error: unknown): void => console.error('a callback was not passed on', error);
  const desk = createCallbackDesk({
    account,
    callbacks: createCallbacks(createFolderStore(home), account),
    messenger: createMessenger(temporal.client, account, timeScale),
    timeScale,
    log: { info: () => undefined },
    onError,
  });
  return startReceiver({ listen: callbacks.listen ?? '', desk, onError });
}
