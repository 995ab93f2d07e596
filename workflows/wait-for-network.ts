import type { SemaphoreState } from '../src/contract/semaphore.js';
import { noteReached } from './paces.js';
import { accountProxy } from './proxies.js';

/** Nothing is claimed while nothing can be sent: a free read tries until it is answered, whatever it is told. */
export async function waitForNetwork(account: string, state: SemaphoreState): Promise<void> {
  await accountProxy(account, 'routine').reachService();
  noteReached(state);
}
