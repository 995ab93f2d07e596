import { condition, sleep } from '@temporalio/workflow';
import type { CaseNoted } from '../src/contract/messages.js';
import type { RowRef } from '../src/contract/workflows.js';
import { isAsync, pollBaseMs } from '../src/kinds/facts.js';
import type { Happened, JobParts, JobState } from './job-steps.js';
import { accountProxy, discountsProxy, downloadProxy, homeProxy } from './proxies.js';

/** Discounts that could not be read so often are gone without. */
const UNREAD_MAX = 3;

/** What a lost answer left behind: its job or its output is there, may still turn up, or nothing is known of either. */
type Recovered = 'job' | 'output' | 'open' | 'nothing';

/** `waitMs`: the service asked not to be asked again for so long. */
interface Recovery {
  found: Recovered;
  waitMs?: number;
}

/**
 * The credits check of one attempt whose answer is lost: read the balance, weigh the evidence, wait, until there is
 * a verdict or the ledger shows a late state, which wins. The slot stays held: the job may be running.
 */
export async function settleCase(
  { account, timeScale, news, looks }: JobParts,
  { row, n, policy: { ambiguity } }: JobState,
  note: (end: Omit<CaseNoted, 'id'>) => Promise<void>,
): Promise<Happened> {
  const home = homeProxy(account);
  const gapMs = pollBaseMs(row.kind) / timeScale;
  await note({});
  // Asking after a handle that was found in the answer is a poll: not before a first poll may be made.
  if (isAsync(row.kind)) await sleep(gapMs);
  let { found, waitMs = 0 } = await recoverAnswer(account, row, n);
  let askAgainMs = Date.now() + waitMs;
  let unread = 0;
  let hasRead = false;
  for (;;) {
    if (found === 'job' || found === 'output') return { what: 'recovered', found };
    const before = looks();
    await accountProxy(account, 'case').readAccount({ maxAgeMs: 10_000 / timeScale });
    const without = unread < UNREAD_MAX ? {} : { withoutDiscounts: true as const };
    const settled = await home.settle({ row, n, ambiguity, ...without });
    if (settled.outcome !== 'wait') return { what: 'settled', result: settled };
    const { discountsSinceMs: sinceMs } = settled;
    // Once a look: where clocks are apart the answer may still be too old.
    if (sinceMs !== undefined && !hasRead) {
      hasRead = await haveRead(() => discountsProxy(account).readDiscounts({ sinceMs }));
      unread = hasRead ? 0 : unread + 1;
      if (hasRead) continue;
    }
    hasRead = false;
    // The ledger learned something: at once.
    const looked = condition(() => looks() !== before).then(() => false);
    const isHinted = await Promise.race([news.within(n, Math.max(100, settled.delayMs)), looked]);
    if (isHinted) await sleep(gapMs);
    const isAwaited = (settled.hinted || found === 'open') && Date.now() >= askAgainMs;
    if (!isHinted && !isAwaited) continue;
    ({ found, waitMs = 0 } = await recoverAnswer(account, row, n));
    askAgainMs = Date.now() + waitMs;
  }
}

/** Asks after each handle that is known by hints alone, or after the output that a synchronous answer named. */
export async function recoverAnswer(account: string, row: RowRef, n: number): Promise<Recovery> {
  if (!isAsync(row.kind)) {
    const fetched = await downloadProxy(account).fetchSalvaged({ row, n });
    return { found: fetched === 'done' ? 'output' : fetched };
  }
  let found: Recovered = 'nothing';
  for (let candidate = 0; ; candidate += 1) {
    const answer = await accountProxy(account, 'case').confirmHandle({ row, n, candidate });
    const { confirmed, more, open, waitMs } = answer;
    if (confirmed) return { found: 'job' };
    if (waitMs !== undefined) return { found: 'open', waitMs };
    if (open) found = 'open';
    if (!more) return { found };
  }
}

async function haveRead(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch {
    // The service is away, or answers what cannot be read.
    return false;
  }
}
