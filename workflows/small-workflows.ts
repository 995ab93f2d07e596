import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountReadInput, AccountReadResult } from '../src/contract/account.js';
import type { LateOutputInput } from '../src/contract/attempts.js';
import * as messages from '../src/contract/messages.js';
import { jobId, WORKFLOW_MEMO } from '../src/contract/names.js';
import type { LateHandleInput, LateResultsInput, RowRef } from '../src/contract/workflows.js';
import { KINDS, pollBaseMs } from '../src/kinds/facts.js';
import { fetchRound } from './fetch-row.js';
import type { job } from './job.js';
import { accountProxy, wholeBatchProxy } from './proxies.js';
import { recoverAnswer } from './settle-case.js';

/** A read that the command line asks for: it goes through the account's one queue, so that it counts there. */
export async function accountRead(input: AccountReadInput): Promise<AccountReadResult> {
  return accountProxy(input.account, 'routine').readForClient({ what: input.what });
}

/** A row's job may be just about to end without the handle; so often it is waited for, twice as long each time. */
const JOB_TRIES = 10;
/** Of a service that is away, or does not know the handle yet, it is asked for so often again: for over an hour. */
const ASKED_MAX = 10;

/**
 * A callback named a handle for a row whose case is settled without one, or its own answer came in late: a poll confirms
 * the handle, then the row is fetched after all and the results are written again. What no poll confirms changes nothing; a
 * service that is away, or does not know the job yet, says nothing either way and is asked again.
 */
export async function lateHandle({ account, row: told, n, timeScale }: LateHandleInput): Promise<void> {
  const row = withKind(told);
  const gapMs = pollBaseMs(row.kind) / timeScale;
  // The job may have been created a moment ago: not before a first poll may be made.
  await sleep(gapMs);
  let { found, waitMs = 0 } = await recoverAnswer(account, row, n);
  // Neither confirmed nor refuted: nobody else asks after it any more.
  for (let tries = 0; found === 'open' && tries < ASKED_MAX && patched('asked-again'); tries += 1) {
    await sleep(Math.max(waitMs, gapMs * 2 ** tries));
    ({ found, waitMs = 0 } = await recoverAnswer(account, row, n));
  }
  if (found !== 'job' && found !== 'output') return;
  const begins = found === 'job' ? 'poll' : 'download';
  for (let tries = 0; !(await isFetched({ account, row, n, timeScale }, begins)); tries += 1) {
    // One that goes on for that long was started again meanwhile: it finds the handle in the ledger.
    if (tries === JOB_TRIES) return;
    await sleep(gapMs * 2 ** tries);
  }
  await wholeBatchProxy(account).rewriteResults({ batch: row.batch });
}

/** Carries the row on from its handle, to its end; false while another job of it is open. */
async function isFetched(
  { account, row, n, timeScale }: LateHandleInput,
  begins: 'poll' | 'download',
): Promise<boolean> {
  try {
    await executeChild<typeof job>('job', {
      workflowId: jobId(account, row.batch, row.id),
      memo: WORKFLOW_MEMO,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // It never submits: what the service made is fetched, or the row says how it ended.
      args: [{ account, row, begins, attempts: n, policy: { ambiguity: 'hold', retries: 0 }, timeScale }],
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** A week of hourly questions is one or two runs. */
const EVENTS_MAX = 1_500;

/**
 * Fetches a paid output after its row has ended without it, for as long as its URL or its handle may live. It is no row
 * of the batch, so that the batch ends; waiting costs no event, since the server repeats the one activity.
 */
export async function lateOutput(input: LateOutputInput): Promise<void> {
  const { account, n, timeScale } = input;
  const row = withKind(input.row);
  let { before } = input;
  for (;;) {
    const round = await fetchRound({ account, row, n, timeScale, before, isLate: true });
    if (round.outcome !== 'asked') return;
    before = round.tries;
    if (workflowInfo().historyLength >= EVENTS_MAX) await continueAsNew<typeof lateOutput>({ ...input, before });
  }
}

/**
 * A row's record was corrected after its batch had ended: the results are written again, and once more for every
 * correction that comes while they are being written.
 */
export async function lateResults({ account, batch }: LateResultsInput): Promise<void> {
  let isOutdated = true;
  setHandler(messages.resultsOutdated, () => {
    isOutdated = true;
  });
  while (isOutdated) {
    isOutdated = false;
    await wholeBatchProxy(account).rewriteResults({ batch });
  }
}

/** A build before this one named the kind by its place, and what it began may wait for days. */
function withKind(row: RowRef): RowRef {
  const { kind }: { kind: unknown } = row;
  return typeof kind === 'number' ? { ...row, kind: KINDS[kind] ?? row.kind } : row;
}
