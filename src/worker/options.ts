import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Handed } from '../../activities/dependencies.js';
import type { AccountSettings } from '../contract/settings.js';
import type { Log } from '../domain/log.js';
import type { S3Environment } from '../domain/s3.js';
import type { KeySource } from './key-source.js';
import type { RequestWindow } from './request-window.js';

/** What the workers of an account are started with. */

export interface WorkerPlace {
  namespace: string;
  client: Client;
  /** The SDK takes one worker per queue and connection; a worker that replaces another needs one of its own. */
  connect(): Promise<NativeConnection>;
}

export interface AccountWorkerOptions {
  place: WorkerPlace;
  settings: AccountSettings;
  key: KeySource;
  /** Where this worker alone serves the account: its requests are counted at the send. */
  window?: RequestWindow;
  log: Log;
  /** S3 credentials that win over this process's own. */
  s3?: S3Environment;
  /** Wraps the dependencies; for tests that stop the process at a named point. */
  wrap?: (handed: Handed) => Handed;
}
