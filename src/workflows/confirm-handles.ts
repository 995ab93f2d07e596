import type { RowRef } from '../contract/workflows.js';
import { accountProxy } from './proxies.js';

/** Asks after each handle that is known by hints alone, until one is confirmed. */
export async function confirmHandles(account: string, row: RowRef, n: number): Promise<boolean> {
  for (let candidate = 0; ; candidate += 1) {
    const { confirmed, more } = await accountProxy(account, 'case').confirmHandle({ row, n, candidate });
    if (confirmed || !more) return confirmed;
  }
}
