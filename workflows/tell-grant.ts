import type { Granted } from '../src/contract/semaphore.js';
import type { Grant } from './permits.js';
import { localProxy } from './proxies.js';

/**
 * Tells a job its grant; false when no such job runs. The worker itself signals: a signal of the workflow would come back
 * as an event, and with it one more workflow task for each grant.
 */
export function tellGrant({ job, standsBy }: Grant, message: Granted): Promise<boolean> {
  return localProxy().tellGrant({ job, message, ...(standsBy ? { standsBy } : {}) });
}
