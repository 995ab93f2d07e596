import { condition, getExternalWorkflowHandle, patched } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { batchId } from '../src/contract/names.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Finish, Job, Step } from './job-work.js';
import { homeProxy } from './proxies.js';

/**
 * Paying for a row again on purpose, although an attempt of it may have been billed: by the policy `always`, by
 * `sync.maxWaste` or by a person. Each payment is reserved, in the waste book and in the batch's budget, before it is
 * granted, and is on record.
 */

/** A batch that hands over to its next run may take a moment. */
const ANSWER_MS = 60_000;

/** Another attempt where everything that bounds it has room for its price. */
export async function payAgain(work: Job, otherwise: Finish): Promise<Step> {
  const { account, row, policy } = work.input;
  const home = homeProxy(account);
  const cause = policy.ambiguity === 'always' ? 'always' : 'sync';
  const attempt = { row, n: work.n, cause } as const;
  const reserved = await home.reservePayment({ ...attempt, wasteMaxNano: policy.wasteMaxNano ?? 0 });
  if (reserved.outcome === 'standing') return work.submits.read(work, reserved.result);
  if (reserved.outcome === 'refused') return otherwise;
  if (!(await fitsBudget(work, reserved.upToNano))) {
    // Other rows of the batch may be paid again out of what this one is not.
    if (patched('refused-payment-returned')) await home.returnPayment({ row, n: work.n });
    return otherwise;
  }
  const result = await home.override(attempt);
  work.again = { upToNano: reserved.upToNano, otherwise };
  return result.outcome === 'granted' ? { step: 'submit' } : work.submits.read(work, result.result);
}

/** Asks the batch, which alone knows what its other rows have reserved. One that is gone grants nothing. */
async function fitsBudget(work: Job, nano: CreditsNano | null): Promise<boolean> {
  const { account, row } = work.input;
  const { n } = work;
  for (;;) {
    try {
      await getExternalWorkflowHandle(batchId(account, row.batch)).signal(messages.paymentAsked, {
        id: row.id,
        n,
        nano,
      });
    } catch {
      return false;
    }
    if (await condition(() => work.payment?.n === n, ANSWER_MS)) return work.payment?.isReserved === true;
  }
}
