import { homeProxy, lastReadProxy } from './proxies.js';

/** Reads the balance once more when a batch ends, so that what it tells of the last rows is in the results. */
export async function closeBooks(account: string, batch: string, sinceMs: number): Promise<void> {
  try {
    await lastReadProxy(account).readAccount({ maxAgeMs: 0 });
  } catch {
    // The service is away: the books close with what was read before.
  }
  await homeProxy(account).closeBooks({ batch, sinceMs });
}
