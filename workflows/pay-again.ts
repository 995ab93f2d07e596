import { condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { batchId } from '../src/contract/names.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Finish, Happened, JobState } from './job-steps.js';
import { homeProxy } from './proxies.js';

/**
 * Paying for a row again on purpose, although an attempt of it may have been billed: by the policy `always`, by
 * `sync.maxWaste` or by a person. Each payment is reserved, in the waste book and in the batch's budget, before it is
 * granted, and is on record.
 */
export interface Payments {
  /** Another attempt where everything that bounds it has room for its price. */
  ask(state: JobState, otherwise: Finish): Promise<Happened>;
}

/** A batch that hands over to its next run may take a moment. */
const ANSWER_MS = 60_000;

export function openPayments(account: string): Payments {
  const home = homeProxy(account);
  let answer: messages.PaymentAnswered | undefined;
  setHandler(messages.paymentAnswered, (answered) => {
    answer = answered;
  });

  return {
    async ask(state, otherwise) {
      const { row, n, policy } = state;
      const cause = policy.ambiguity === 'always' ? 'always' : 'sync';
      const attempt = { row, n, cause } as const;
      const reserved = await home.reservePayment({ ...attempt, wasteMaxNano: policy.wasteMaxNano ?? 0 });
      if (reserved.outcome === 'standing') return { what: 'submitted', result: reserved.result };
      if (reserved.outcome === 'refused') return { what: 'not paid again', otherwise };
      const { upToNano } = reserved;
      if (!(await fitsBudget(state, upToNano))) {
        // Other rows of the batch may be paid again out of what this one is not.
        await home.returnPayment({ row, n });
        return { what: 'not paid again', otherwise };
      }
      const result = await home.override(attempt);
      if (result.outcome === 'standing') return { what: 'submitted', result: result.result };
      return { what: 'paid again', upToNano, otherwise };
    },
  };

  /** Asks the batch, which alone knows what its other rows have reserved. One that is gone grants nothing. */
  async function fitsBudget({ row: { batch, id }, n }: JobState, nano: CreditsNano | null): Promise<boolean> {
    for (;;) {
      try {
        await getExternalWorkflowHandle(batchId(account, batch)).signal(messages.paymentAsked, { id, n, nano });
      } catch {
        return false;
      }
      if (await condition(() => answer?.n === n, ANSWER_MS)) return answer?.isReserved === true;
    }
  }
}
