import { CancellationScope, condition, patched, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { GrantedMeanwhile, SubmitResult } from '../src/contract/attempts.js';
import * as messages from '../src/contract/messages.js';
import type { JobInput } from '../src/contract/workflows.js';
import type { JobState } from './job-steps.js';
import { homeProxy, submitProxy } from './proxies.js';
import type { Slot } from './slot.js';

/** The submits of one job: each is a new attempt with a claim of its own. */
export interface Submits {
  /** Sends the next attempt and learns its outcome, from whichever of activity, signal and ledger knows it first. */
  next(state: JobState): Promise<SubmitResult>;
}

/** For a batch that was started without the setting. */
const SYNC_MAX_MS = 900_000;
const BACKOFF_MAX_MS = 30_000;

export function openSubmits({ account, upToNano, syncMaxMs = SYNC_MAX_MS }: JobInput, slot: Slot): Submits {
  const home = homeProxy(account);
  const { submit } = submitProxy(account, syncMaxMs);
  const known = new Map<number, SubmitResult & GrantedMeanwhile>();
  let failures = 0;
  setHandler(messages.outcomeKnown, ({ n, result }) => {
    known.set(n, result);
  });

  return {
    next(state) {
      if (slot.standsBy()) {
        // Until its grant has come it can be cancelled too.
        const end = () => CancellationScope.nonCancellable(() => slot.endStandby());
        CancellationScope.current().cancelRequested.catch(end);
      }
      return CancellationScope.nonCancellable(() => submitOnce(state));
    },
  };

  async function submitOnce({ row, n: before, again }: JobState): Promise<SubmitResult> {
    const n = before + 1;
    // What was told of an earlier try of this attempt has been read; the ledger repeats it where it still stands.
    known.delete(n);
    const most = again ? again.upToNano : upToNano;
    const reserved = typeof most === 'number' ? { upToNano: most } : {};
    const sinceMs = workflowInfo().startTime.getTime();
    const standsBy = slot.standsBy();
    const input = { row, n, grant: slot.grant(), sinceMs, ...reserved, ...(standsBy ? { standsBy } : {}) };
    const told = condition(() => known.has(n)).then(() => known.get(n));
    try {
      const result = await Promise.race([submit(input), told]);
      slot.stoodBy(result?.granted);
      return result ?? (await home.inspectAttempt({ row, n }));
    } catch {
      // The worker died or was paused: the ledger says whether anything can have been sent. Not at once: what keeps
      // failing before its claim must not spin.
      await sleep(Math.min(BACKOFF_MAX_MS, 500 * 2 ** Math.min(failures++, 6)));
      const found = await home.inspectAttempt({ row, n });
      slot.stoodBy(undefined);
      // Its grant came within the worker and was not heard of here: it is asked for, so that it can be given back.
      if (standsBy && hadGrant(found)) await slot.acquire(true);
      return found;
    }
  }
}

/** Whether what an attempt came to tells that its submit had a slot. */
function hadGrant(found: SubmitResult): boolean {
  if (found.outcome === 'refused') return patched('grant-of-refused');
  return found.outcome === 'standing' && found.standing !== 'void';
}
