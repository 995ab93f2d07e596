import { join } from 'node:path';
import { createSwitchboard } from '../callbacks/receiver.js';
import type { AccountSettings } from '../contract/account.js';
import type { JsonObject } from '../domain/json.js';
import type { AwaitedCall } from '../domain/price.js';
import { type S3Environment, s3InForce } from '../domain/s3.js';
import type { AccountRegistration, HandedAccount, KeyProof } from '../engine/registration.js';
import { type AccountWorker, startAccountWorker } from '../worker.js';
import { adopt, tellAlso } from './adopt-settings.js';
import { keepSettings, settingsAsBefore } from './kept-settings.js';
import { offerKey } from './key.js';
import { createKeySource, type KeySource, keyNow } from './key-source.js';
import { countOpen, hasOpenBatches, hasOpenWork } from './open-batches.js';
import type { AccountWorkerOptions, HostOptions } from './options.js';
import { receiveCallbacks } from './receive-callbacks.js';
import { createRequestWindow, UNCOUNTED } from './request-window.js';
import { createStandby } from './standby.js';

/** The accounts that one worker process serves, each with workers, key and settings of its own. */
export interface WorkerHost {
  /** Starts serving an account, or takes its newest key; says `ready` or `failed`. */
  serve(message: HandedAccount): Promise<void>;
  shutdown(): Promise<void>;
  /** Paid requests whose answers a shutdown waits for. */
  awaited(): AwaitedCall[];
}

interface Served {
  worker: AccountWorker;
  key: KeySource;
  settings: AccountSettings;
  s3: S3Environment;
  /** When a command last handed it over, or something was open of it, by the steady clock. */
  usedMs: number;
}

const OPEN_EVERY_MS = 5_000;
const LET_GO_AFTER_MS = 600_000;

export function createWorkerHost(options: HostOptions): WorkerHost {
  const { log, say, letGoAfterMs = LET_GO_AFTER_MS } = options;
  const served = new Map<string, Served>();
  const alone = new Map<string, Required<Pick<AccountWorkerOptions, 'window' | 'standby'>>>();
  /** Workers that serve their account no more, and still wait for answers. */
  const ending = new Set<AccountWorker>();
  const onError = (error: unknown): void => log.error({ error: String(error) }, 'a callback could not be passed on');
  const switchboard = createSwitchboard(onError);
  let turn: Promise<void> = Promise.resolve();
  const timers = [
    setInterval(() => void sayOpen(), OPEN_EVERY_MS),
    setInterval(() => void inTurn(letGo), letGoAfterMs / 4),
  ];

  return {
    serve: (message) => inTurn(() => take(message)),
    awaited: () => allWorkers().flatMap((worker) => worker.awaited()),
    async shutdown() {
      for (const timer of timers) clearInterval(timer);
      // What is left open is known to whoever asks while no engine runs.
      void sayOpen();
      await Promise.all(allWorkers().map((worker) => worker.shutdown()));
      await Promise.all([...served.keys()].map((account) => switchboard.disconnect(account)));
    },
  };

  function inTurn(task: () => Promise<void>): Promise<void> {
    turn = turn.then(task);
    return turn;
  }

  function allWorkers(): AccountWorker[] {
    return [...ending, ...[...served.values()].map(({ worker }) => worker)];
  }

  async function take({ turn, registration }: HandedAccount): Promise<void> {
    const { account } = registration;
    const wasServed = served.has(account);
    try {
      const { settings, proof } = await serveAccount(registration);
      const source = served.get(account)?.key;
      if (options.kept !== undefined) keepSettings(options.kept, settings, source && keyNow(source));
      say({ type: 'ready', turn, account, settings: { ...settings } as unknown as JsonObject, key: proof });
      await sayOpen();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'worker';
      const message = error instanceof Error ? error.message : String(error);
      // The engine takes it for free from here on, and another one may serve it.
      const begun = wasServed ? undefined : served.get(account);
      if (begun !== undefined) await leave(account, begun.worker);
      log.error({ account, code, error: message }, 'the account could not be served');
      say({ type: 'failed', turn, account, code, message });
    }
  }

  /** Gives the settings that the account is served with, and what the service says of the key. */
  async function serveAccount(
    registration: AccountRegistration,
  ): Promise<{ settings: AccountSettings; proof: KeyProof }> {
    const { account, settings, key, isKeyOnly = false } = registration;
    const known = served.get(account);
    const s3 = s3InForce(known?.s3, registration.s3);
    const asked = settings as unknown as AccountSettings;
    if (known === undefined) {
      const source = createKeySource(key);
      const isOpen = async () => hasOpenBatches((await options.place).client, account);
      const settings = await settingsAsBefore(options.kept, { asked, key: keyNow(source), isOpen, log });
      return { settings: await start(settings, source, s3), proof: 'good' };
    }
    known.usedMs = performance.now();
    const isOpen =
      !isKeyOnly &&
      JSON.stringify(known.settings) !== JSON.stringify(asked) &&
      (await hasOpenBatches((await options.place).client, account));
    const adopted = isKeyOnly
      ? { change: 'in place', settings: tellAlso(known.settings, asked) }
      : adopt(known.settings, asked, isOpen);
    const { window: requests = UNCOUNTED } = servedAlone(account);
    const proof = await offerKey(known.key, isKeyOnly ? known.settings : asked, key, { log, requests });
    if (adopted.change === 'new worker' || JSON.stringify(known.s3) !== JSON.stringify(s3)) {
      const next = await start(adopted.settings, known.key, s3);
      end(known.worker);
      return { settings: next, proof };
    }
    known.worker.adopt(adopted.settings);
    known.settings = adopted.settings;
    return { settings: adopted.settings, proof };
  }

  async function start(settings: AccountSettings, key: KeySource, s3: S3Environment): Promise<AccountSettings> {
    const { account } = settings;
    await receiveCallbacks({ switchboard, place: await options.place, log, onError }, settings, s3);
    const worker = await startAccountWorker({
      ...{ place: await options.place, settings: { ...settings }, key, s3, log },
      ...servedAlone(account),
    });
    served.set(account, { worker, key, settings, s3, usedMs: performance.now() });
    worker.ended.catch((error) => {
      log.error({ account, error: String(error) }, 'a worker ended; the process starts anew');
      process.exit(1);
    });
    return settings;
  }

  /** It may have to wait for paid answers: nobody else waits for it. */
  function end(worker: AccountWorker): void {
    ending.add(worker);
    void worker.shutdown().finally(() => ending.delete(worker));
  }

  async function leave(account: string, worker: AccountWorker): Promise<void> {
    served.delete(account);
    alone.delete(account);
    end(worker);
    await switchboard.disconnect(account);
  }

  /** Ends what serves accounts that nobody has used for long: each takes workers with a memory of their own. */
  async function letGo(): Promise<void> {
    for (const [account, one] of served) {
      try {
        const isOwed = one.worker.pendingNotices() > 0 || one.worker.awaited().length > 0;
        const isUsed = isOwed || (await hasOpenWork((await options.place).client, account));
        if (isUsed) one.usedMs = performance.now();
        if (performance.now() - one.usedMs < letGoAfterMs) continue;
        const gone = leave(account, one.worker);
        say({ type: 'left', account });
        log.info({ account }, 'nothing is open of the account: it is served again once a command needs it');
        await gone;
      } catch (error) {
        log.warn({ account, error: String(error) }, 'whether the account is used could not be seen');
      }
    }
  }

  /** What only a worker that alone serves an account has; one for an account, also while one worker takes over from another. */
  function servedAlone(account: string): Pick<AccountWorkerOptions, 'window' | 'standby'> {
    if (options.requests === undefined) return {};
    const clocks = { now: () => Date.now(), monotonic: () => performance.now() };
    const known = alone.get(account) ?? {
      window: createRequestWindow(join(options.requests, `${account}.log`), clocks),
      standby: createStandby(clocks.monotonic),
    };
    alone.set(account, known);
    return known;
  }

  /** Open batches keep the engine awake, and whatever else runs but the semaphores. */
  async function sayOpen(): Promise<void> {
    try {
      const { batches, others } = await countOpen((await options.place).client);
      const notices = allWorkers().reduce((sum, worker) => sum + worker.pendingNotices(), 0);
      say({ type: 'open', batches, others: others + notices });
    } catch (error) {
      log.warn({ error: String(error) }, 'the open batches could not be counted');
    }
  }
}
