import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowIdConflictPolicy } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import type { AccountReadInput, AccountReadResult, AccountReadWhat } from '../../contract/account-read.js';
import { readId, taskQueues } from '../../contract/names.js';
import type { Answer } from '../../domain/exchange.js';
import type { Home } from '../../home/home.js';
import { EXIT } from '../exit-codes.js';
import { UserError } from '../user-error.js';
import { KeyRefusedError } from './read-account.js';
import type { WorkAccess } from './work-access.js';

/** A free read through the account's own queue, so that it counts against the one requests-per-minute cap. */

const WHOLE_MS = 30_000;
const LOOK_EVERY_MS = 500;
const TRIES_MAX = 3;

type ReadWorkflow = (input: AccountReadInput) => Promise<AccountReadResult>;

/** Throws a KeyRefusedError when the worker's key is refused, a UserError (exit 5) when no answer comes. */
export async function readThroughQueue(work: WorkAccess, home: Home, what: AccountReadWhat): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce(work, home, what);
    } catch (error) {
      // Another command shared the request and gave it up.
      const isGivenUp = error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
      if (!isGivenUp) throw error;
      if (tries >= TRIES_MAX) throw new UserError('the worker could not read the account: try again', EXIT.unreachable);
    }
  }
}

async function readOnce(work: WorkAccess, home: Home, what: AccountReadWhat): Promise<Answer> {
  const { account } = home;
  const handle = await work.temporal.client.workflow.start<ReadWorkflow>('accountRead', {
    workflowId: readId(account, what),
    taskQueue: taskQueues(account).home,
    // Two commands that ask at once share the one request.
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [{ account, what }],
  });
  let done = false;
  const watching = watchForRefusal();
  try {
    const { key } = await Promise.race([handle.result(), watching]);
    const body = await home.store.get(key);
    if (body === undefined)
      throw new UserError(`the answer of the service is not in ${home.store.location}`, EXIT.unreachable);
    return { status: 200, contentType: 'application/json', retryAfter: undefined, body };
  } finally {
    done = true;
  }

  /** Never resolves: it ends the wait when the worker's tries show that no answer will come. */
  async function watchForRefusal(): Promise<never> {
    const deadline = Date.now() + WHOLE_MS;
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      if (done) return await new Promise<never>(() => undefined);
      const { raw } = await handle.describe();
      const failure = raw.pendingActivities?.find((one) => one.lastFailure != null)?.lastFailure;
      const isRefused = failure?.applicationFailureInfo?.type === 'service.key-refused';
      if (!isRefused && Date.now() < deadline) continue;
      await handle.terminate('nobody waits for this read any more').catch(() => undefined);
      if (isRefused) throw new KeyRefusedError('HTTP 401');
      throw new UserError(
        `the worker could not read the account within ${WHOLE_MS / 1000} s (${failure?.message ?? 'no worker took it'}): check the base URL and that a worker of account '${account}' runs`,
        EXIT.unreachable,
      );
    }
  }
}
