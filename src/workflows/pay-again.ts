import { sleep } from '@temporalio/workflow';
import type { Finish, Job, Step } from './job-work.js';
import { homeProxy } from './proxies.js';

/** Paying for a row again on purpose: only as far as the user's waste limits go, and every time on record. */

/** Policy `always`: another attempt while the batch's waste limit has room for the price of the lost one. */
export async function payAgain(work: Job, otherwise: Finish): Promise<Step> {
  const { account, row, policy } = work.input;
  const wasteMaxNano = policy.wasteMaxNano ?? 0;
  const result = await homeProxy(account).override({ row, n: work.n, cause: 'always', wasteMaxNano });
  if (result.outcome === 'granted') return { step: 'submit' };
  return result.outcome === 'standing' ? work.submits.read(work, result.result) : otherwise;
}

/**
 * `sync.maxWaste`: a synchronous call that cheap is sent again once the old one cannot run any more, instead of being
 * settled. Undefined where that is not wished or not so cheap.
 */
export async function resendCheapCall(work: Job): Promise<Step | undefined> {
  const { account, row } = work.input;
  for (;;) {
    const result = await homeProxy(account).override({ row, n: work.n, cause: 'sync', wasteMaxNano: 0 });
    switch (result.outcome) {
      case 'refused':
        return undefined;
      case 'wait':
        await sleep(Math.max(100, result.delayMs));
        break;
      case 'standing':
        return work.submits.read(work, result.result);
      case 'granted':
        work.slot.release({ notBeforeMs: result.slotUntilMs });
        return { step: 'submit' };
    }
  }
}
