import { resumeGrants } from '../../contract/messages.js';
import { semaphoreId } from '../../contract/names.js';
import { openHomeAccess } from '../access/home-access.js';
import { readThroughQueue } from '../access/queued-read.js';
import { KeyRefusedError } from '../access/read-account.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { createBatchSource, unlessOutage } from './batch-source.js';

/**
 * A key that was refused is not used again by itself while it is the same (I14). A person who orders a batch to go on
 * may know that it was unblocked: one free read with the worker's key decides, and its answer ends the account's pause
 * at once. Gives what to do where the key is still refused; undefined where it holds nothing back, or where nobody
 * answers who knows.
 */
export async function tryRefusedKey(session: Session, work: WorkAccess, batch: string): Promise<string | undefined> {
  const access = openHomeAccess(session.config);
  const source = createBatchSource({ access, batch, work, connect: async () => work });
  // Without a worker, as between two deployments, nothing answers: the order stands all the same.
  const slots = await unlessOutage(source.slots());
  if (slots === undefined || !slots.pauses.some(({ reason }) => reason === 'key')) return undefined;
  try {
    await readThroughQueue(work, access.home, 'credits');
  } catch (error) {
    if (!(error instanceof KeyRefusedError)) throw error;
    return stillRefused(work, commandHint(session, `resume ${batch}`));
  }
  const semaphore = work.temporal.client.workflow.getHandle(semaphoreId(session.config.account.name));
  await semaphore.signal(resumeGrants, { reason: 'key' });
  return undefined;
}

/** The same for whoever follows the batch: it was handed over, so that a read without an answer is told and no more. */
export async function refusedKeyTold(session: Session, work: WorkAccess, batch: string): Promise<string | undefined> {
  try {
    return await unlessOutage(tryRefusedKey(session, work, batch));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

function stillRefused({ isShared }: WorkAccess, resume: string): string {
  const another = isShared ? 'give the worker another one' : 'set another one in CALLSHEET_API_KEY or --api-key-file';
  return `the service still does not accept the API key, so nothing new is submitted: have it unblocked there, or ${another}, then \`${resume}\` goes on at once`;
}
