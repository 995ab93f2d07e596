import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowIdConflictPolicy } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { AccountReadInput, AccountReadResult, AccountReadWhat } from '../../contract/account.js';

import { readId, taskQueues } from '../../contract/names.js';
import type { Answer } from '../../domain/exchange.js';
import { isEngineKey } from '../../engine/control.js';
import type { Home } from '../../home/home.js';
import type { AccountReading } from '../../service/account.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { openHomeAccess } from './home-access.js';
import { KeyRefusedError, readFromService, understood } from './read-account.js';
import { joinWork, type WorkAccess } from './work-access.js';
import { runningEngine, sharedAddress } from './work-place.js';

/** Free reads of the account, through the queue of its worker where it has one. */

const WHOLE_MS = 30_000;
const LOOK_EVERY_MS = 500;
const TRIES_MAX = 3;

type ReadWorkflow = (input: AccountReadInput) => Promise<AccountReadResult>;

/**
 * What `credits`, `discounts` and `voices` show: through the queue where a worker serves the account, so that it counts
 * there, else straight: with a key that the engine does not have, its own is what the user asks about. A worker whose
 * key is refused cannot tell what this command's own key would show.
 */
export async function readAccount<Value>(
  session: Session,
  what: AccountReadWhat,
  read: (answer: Answer) => AccountReading<Value>,
): Promise<Value> {
  return understood(read(await readAnswer(session, what)), what);
}

async function readAnswer(session: Session, what: AccountReadWhat): Promise<Answer> {
  const { home } = openHomeAccess(session.config);
  const isServed =
    sharedAddress(session) !== undefined || (await runningEngine(session))?.accounts.includes(home.account) === true;
  const work = isServed && (await isKeyOfEngine(session)) ? await joinWork(session) : undefined;
  if (work === undefined) return readFromService(session, what);
  try {
    return await readThroughQueue(work, home, what);
  } catch (error) {
    if (error instanceof KeyRefusedError) return readFromService(session, what);
    throw error;
  } finally {
    await work.close();
  }
}

/** True where the user gave no key, or the one that the engine has. */
async function isKeyOfEngine(session: Session): Promise<boolean> {
  if (session.keyOrigin === undefined) return true;
  // Its workers have keys of their own: that of this command is never used, and may be none.
  if (sharedAddress(session) !== undefined) return true;
  const { secret } = await session.apiKey();
  return isEngineKey(session.config.data, session.config.account.name, secret.reveal());
}

/**
 * A free read through the account's own queue, so that it counts against the one requests-per-minute cap. Throws a
 * KeyRefusedError when the worker's key is refused, a UserError (exit 5) when no answer comes.
 */
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
      const { loadedDataConverter } = work.temporal.client.options;
      const said = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure, undefined);
      throw new UserError(
        `the worker could not read the account within ${WHOLE_MS / 1000} s (${said?.message ?? 'no worker took it'}): check the base URL and that a worker of account '${account}' runs`,
        EXIT.unreachable,
      );
    }
  }
}
