import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Handed, Standby } from '../../activities/dependencies.js';
import type { AccountSettings } from '../contract/account.js';
import type { Log } from '../domain/log.js';
import type { S3Environment } from '../domain/s3.js';
import type { FromWorker } from '../engine/registration.js';
import type { KeyedCodec } from '../temporal/payload-codec.js';
import type { KeySource } from './key-source.js';
import type { RequestWindow } from './request-window.js';

/** What the workers of an account are started with. */

export interface WorkerPlace {
  namespace: string;
  client: Client;
  /** Of a shared Temporal: what the client's codec encodes, the workers' has to read. */
  codec?: KeyedCodec;
  /** One for each account: the SDK takes one worker per queue and connection, and an account may come back. */
  connect(): Promise<NativeConnection>;
}

export interface AccountWorkerOptions {
  place: WorkerPlace;
  settings: AccountSettings;
  key: KeySource;
  /** Where this worker alone serves the account: its requests are counted at the send. */
  window?: RequestWindow;
  /** The same: grants reach its submits within this process. */
  standby?: Standby;
  log: Log;
  /** S3 credentials that win over this process's own. */
  s3?: S3Environment;
  /** Wraps the dependencies; for tests that stop the process at a named point. */
  wrap?: (handed: Handed) => Handed;
}

/** What a process is started with that serves the accounts that it is handed. */
export interface HostOptions {
  place: Promise<WorkerPlace>;
  log: Log;
  say: (message: FromWorker) => void;
  /** Where requests are counted, for a worker that alone serves its accounts. */
  requests?: string;
  /** Where it is kept what commands said of the accounts, for the next engine. */
  kept?: string;
  /** How long an account of which nothing is open is served; 10 min if not given. */
  letGoAfterMs?: number;
}
