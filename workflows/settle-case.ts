import { condition, getExternalWorkflowHandle, patched, sleep } from '@temporalio/workflow';
import type { SubmitResult } from '../src/contract/activities.js';
import * as messages from '../src/contract/messages.js';
import { batchId } from '../src/contract/names.js';
import type { Verdict } from '../src/domain/attempt.js';
import { isLost } from '../src/domain/standing.js';
import { isAsync, KINDS } from '../src/kinds/facts.js';
import { type Recovered, recoverAnswer } from './confirm-handles.js';
import { pollBaseOf } from './fetch-row.js';
import type { Job, Step } from './job-work.js';
import { nextStep } from './next-step.js';
import { accountProxy, homeProxy } from './proxies.js';

const STEPS: Partial<Record<Recovered, Step>> = { job: { step: 'poll' }, output: { step: 'download' } };

/**
 * The credits check of one attempt whose answer is lost: read the balance, weigh the evidence, wait, until there is
 * a verdict or the ledger shows a late state, which wins. The slot stays held: the job may be running.
 */
export async function settleCase(work: Job): Promise<Step> {
  const { account, row, timeScale } = work.input;
  const home = homeProxy(account);
  await note(work);
  // Asking after a handle that was found in the answer is a poll: not before a first poll may be made.
  if (!isSynchronous(row.kind)) await sleep(pollBaseOf(row.kind) / timeScale);
  let recovered = await recoverAnswer(account, row, work.n);
  const found = STEPS[recovered];
  if (found) return leave(work, found);
  for (;;) {
    const { looks } = work;
    await accountProxy(account, 'case').readAccount({ maxAgeMs: 10_000 / timeScale });
    const settled = await home.settle({ row, n: work.n, ambiguity: work.input.policy.ambiguity });
    switch (settled.outcome) {
      case 'wait': {
        if (await heardOf(work, looks, Math.max(100, settled.delayMs))) await sleep(pollBaseOf(row.kind) / timeScale);
        else if (!settled.hinted && recovered !== 'open') break;
        recovered = await recoverAnswer(account, row, work.n);
        const late = STEPS[recovered];
        if (late) return leave(work, late);
        break;
      }
      case 'standing':
        if (settled.untrusted) work.mayResend = false;
        // What may still run at the service keeps its slot, whoever settled it.
        if (keepsSlot(settled.result)) work.slot.release({ notBeforeMs: settled.slotUntilMs });
        return leave(work, await work.submits.read(work, settled.result));
      case 'verdict': {
        await note(work, { verdict: settled.verdict });
        if (settled.verdict === 'not_billed') work.slot.release();
        else work.slot.release({ notBeforeMs: settled.slotUntilMs });
        if (settled.untrusted) work.mayResend = false;
        return nextStep(work, settled.verdict);
      }
    }
  }
}

/** Waits for the next look; true when a callback came, and at once when the ledger learned something. */
function heardOf(work: Job, looks: number, delayMs: number): Promise<boolean> {
  const looked = condition(() => work.looks !== looks).then(() => false);
  return Promise.race([work.news.within(work.n, delayMs), looked]);
}

function isSynchronous(kindNumber: number): boolean {
  const kind = KINDS[kindNumber];
  return kind !== undefined && !isAsync(kind);
}

function keepsSlot(result: SubmitResult): boolean {
  return result.outcome === 'standing' && isLost(result.standing);
}

/** The case ended without a verdict: from now on its row takes a place in the window again. */
async function leave(work: Job, step: Step): Promise<Step> {
  if (step.step !== 'finish' && patched('case-ends-noted')) await note(work, { isOver: true });
  return step;
}

/** Tells watchers; a batch that is gone has none. */
async function note(work: Job, end: { verdict?: Verdict; isOver?: true } = {}): Promise<void> {
  const { account, row } = work.input;
  try {
    const message = { id: row.id, ...end };
    await getExternalWorkflowHandle(batchId(account, row.batch)).signal(messages.caseNoted, message);
  } catch {
    // The record and the ledger hold the case; nobody watches.
  }
}
