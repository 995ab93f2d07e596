import type { Dependencies } from '../../../activities/dependencies.js';
import { accountSettings } from '../../config/account-settings.js';
import type { HomeAccess } from './home-access.js';

/** The part of an account's dependencies that reads and writes its home alone. */
export type RecordDependencies = Pick<
  Dependencies,
  'home' | 'ledger' | 'rows' | 'records' | 'book' | 'callbacks' | 'settings' | 'log' | 'now'
>;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * For what the worker's own functions say of the home: without a worker there is no service, no download and no
 * workflow to send to, and whoever asks for one of them fails at once.
 */
export function recordDependencies(access: HomeAccess): Dependencies {
  const { config, ...records } = access;
  // Where no base URL is given nothing is sent either.
  const settings = accountSettings({ ...config, baseUrl: config.baseUrl ?? 'http://127.0.0.1' });
  const known: RecordDependencies = { ...records, settings, log: silent, now: () => Date.now() };
  return known as Dependencies;
}
