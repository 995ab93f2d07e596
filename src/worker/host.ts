import type { Log } from '../activities/dependencies.js';
import { createSwitchboard } from '../callbacks/switchboard.js';
import { createCallbackDesk } from '../callbacks/take-callback.js';
import type { AccountSettings } from '../contract/settings.js';
import type { S3Environment } from '../domain/s3.js';
import type { AccountRegistration, FromWorker, ToWorker } from '../engine/registration.js';
import { createCallbacks } from '../store/callbacks.js';
import { createPlaces } from '../store/open-store.js';
import { type AccountWorker, startAccountWorker } from '../worker.js';
import { proveKey } from './key.js';
import { createKeySource, type KeyOrigin, type KeySource } from './key-source.js';
import { createMessenger } from './messenger.js';
import type { WorkerPlace } from './options.js';

/** The accounts that one worker process serves, each with workers, key and settings of its own. */
export interface WorkerHost {
  /** Starts serving an account, or takes its newest key; says `ready` or `failed`. */
  serve(message: ToWorker): Promise<void>;
  shutdown(): Promise<void>;
}

interface Served {
  worker: AccountWorker;
  key: KeySource;
  settings: string;
}

const OPEN_EVERY_MS = 5_000;

export function createWorkerHost(options: {
  place: Promise<WorkerPlace>;
  log: Log;
  say: (message: FromWorker) => void;
}): WorkerHost {
  const { log, say } = options;
  const served = new Map<string, Served>();
  const onError = (error: unknown): void => log.error({ error: String(error) }, 'a callback could not be passed on');
  const switchboard = createSwitchboard(onError);
  let turn: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void sayOpen(), OPEN_EVERY_MS);

  return {
    serve(message) {
      turn = turn.then(() => take(message));
      return turn;
    },
    async shutdown() {
      clearInterval(timer);
      await Promise.all([...served.values()].map(({ worker }) => worker.shutdown()));
      await Promise.all([...served.keys()].map((account) => switchboard.disconnect(account)));
    },
  };

  async function take({ turn, registration }: ToWorker): Promise<void> {
    const { account } = registration;
    try {
      await serveAccount(registration);
      say({ type: 'ready', turn, account });
      await sayOpen();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'worker';
      const message = error instanceof Error ? error.message : String(error);
      log.error({ account, code, error: message }, 'the account could not be served');
      say({ type: 'failed', turn, account, code, message });
    }
  }

  async function serveAccount({ account, settings, key, s3 = {} }: AccountRegistration): Promise<void> {
    const known = served.get(account);
    const text = JSON.stringify([settings, s3]);
    if (known) {
      await offerKey(known.key, settings as unknown as AccountSettings, key);
      if (known.settings === text) return;
      await known.worker.shutdown();
      served.delete(account);
    }
    const source = known?.key ?? createKeySource(key);
    const accountSettings = settings as unknown as AccountSettings;
    await receiveCallbacks(accountSettings, s3);
    const worker = await startAccountWorker({
      place: await options.place,
      settings: accountSettings,
      key: source,
      s3,
      log,
    });
    served.set(account, { worker, key: source, settings: text });
    worker.ended.catch((error) => {
      log.error({ account, error: String(error) }, 'a worker ended; the process starts anew');
      process.exit(1);
    });
  }

  async function receiveCallbacks(settings: AccountSettings, s3: S3Environment): Promise<void> {
    const { account, home, timeScale, callbacks } = settings;
    if (callbacks.listen === null) return switchboard.disconnect(account);
    const { client } = await options.place;
    const { openStore } = createPlaces({ settings: settings.s3, environment: s3 });
    const desk = createCallbackDesk({
      account,
      callbacks: createCallbacks(openStore(home, 'private'), account),
      messenger: createMessenger(client, account, timeScale),
      timeScale,
      log,
      onError,
    });
    await switchboard.connect(account, callbacks.listen, desk);
  }

  /** A key that the service does not accept never replaces one that it may accept. */
  async function offerKey(source: KeySource, settings: AccountSettings, offered: KeyOrigin): Promise<void> {
    const value = createKeySource(offered).current();
    const proof = value === source.current() ? 'good' : await proveKey(settings, value);
    if (proof === 'good') source.replace(offered);
    else
      log.warn({ account: settings.account, proof }, 'the key that was handed over is not used: the one before stays');
  }

  /** Open batches keep the engine awake, and so do outputs that are fetched after their rows have ended. */
  async function sayOpen(): Promise<void> {
    try {
      const { client } = await options.place;
      const { count } = await client.workflow.count(
        "WorkflowType IN ('batch', 'lateOutput') AND ExecutionStatus = 'Running'",
      );
      say({ type: 'open', batches: count });
    } catch (error) {
      log.warn({ error: String(error) }, 'the open batches could not be counted');
    }
  }
}
