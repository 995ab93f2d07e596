import { type BookMessages, type Books, openBooks } from '../../books/open-books.js';
import { accountSettings } from '../../config/account-settings.js';
import type { HomeAccess } from './home-access.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The books of an account for a command, which reads and writes its home alone: without a worker there is no workflow to
 * send to, and whoever asks for one fails at once.
 */
export function recordBooks(access: HomeAccess): Books {
  const { config, ...records } = access;
  // Where no base URL is given nothing is sent either.
  const settings = accountSettings({ ...config, baseUrl: config.baseUrl ?? 'http://127.0.0.1' });
  return openBooks({ ...records, settings, messenger: {} as BookMessages, log: silent, now: () => Date.now() });
}
