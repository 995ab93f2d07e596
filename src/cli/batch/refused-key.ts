import { WorkflowNotFoundError } from '@temporalio/client';
import { resumeGrants, semaphoreView } from '../../contract/messages.js';
import { semaphoreId } from '../../contract/names.js';
import { openHomeAccess } from '../access/home-access.js';
import { readThroughQueue } from '../access/queued-read.js';
import { KeyRefusedError } from '../access/read-account.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';

/**
 * A key that was refused is not used again by itself while it is the same (I14). A person who orders a batch to go on
 * may know that it was unblocked: one free read with the worker's key decides, and its answer ends the account's pause
 * at once. Gives what to do where the key is still refused; undefined where it holds nothing back.
 */
export async function tryRefusedKey(session: Session, work: WorkAccess, batch: string): Promise<string | undefined> {
  const semaphore = work.temporal.client.workflow.getHandle(semaphoreId(session.config.account.name));
  try {
    const { pauses } = await semaphore.query(semaphoreView);
    if (!pauses.some(({ reason }) => reason === 'key')) return undefined;
    await readThroughQueue(work, openHomeAccess(session.config).home, 'credits');
    await semaphore.signal(resumeGrants, { reason: 'key' });
    return undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (error instanceof KeyRefusedError) return stillRefused(work, commandHint(session, `resume ${batch}`));
    throw error;
  }
}

function stillRefused({ isShared }: WorkAccess, resume: string): string {
  const another = isShared ? 'give the worker another one' : 'set another one in CALLSHEET_API_KEY or --api-key-file';
  return `the service still does not accept the API key, so nothing new is submitted: have it unblocked there, or ${another}, then \`${resume}\` goes on at once`;
}
