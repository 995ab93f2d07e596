import { type SignalDefinition, WorkflowNotFoundError } from '@temporalio/client';
import { batchId } from '../../contract/names.js';
import type { WorkAccess } from '../access/work-access.js';
import { EXIT } from '../exit-codes.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

/** Sends an order to a batch that runs; throws a UserError when it does not. */
export async function signalRunning(
  session: Session,
  work: WorkAccess,
  batch: string,
  signal: SignalDefinition<[]>,
): Promise<void> {
  const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
  try {
    await handle.signal(signal);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    const look = commandHint(session, `status ${batch}`);
    throw new UserError(
      `batch '${batch}' does not run, so there is nothing to order; \`${look}\` shows it`,
      EXIT.usage,
    );
  }
}
