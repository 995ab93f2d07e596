import type { RowRef } from '../src/contract/workflows.js';
import { isAsync, KINDS } from '../src/kinds/facts.js';
import { accountProxy, downloadProxy } from './proxies.js';

/** What a lost answer left behind: its job or its output is there, may still turn up, or nothing is known of either. */
export type Recovered = 'job' | 'output' | 'open' | 'nothing';

/** Asks after each handle that is known by hints alone, or after the output that a synchronous answer named. */
export async function recoverAnswer(account: string, row: RowRef, n: number): Promise<Recovered> {
  const kind = KINDS[row.kind];
  if (kind !== undefined && !isAsync(kind)) {
    const fetched = await downloadProxy(account).fetchSalvaged({ row, n });
    return fetched === 'done' ? 'output' : fetched;
  }
  let found: Recovered = 'nothing';
  for (let candidate = 0; ; candidate += 1) {
    const { confirmed, more, open } = await accountProxy(account, 'case').confirmHandle({ row, n, candidate });
    if (confirmed) return 'job';
    if (open) found = 'open';
    if (!more) return found;
  }
}
