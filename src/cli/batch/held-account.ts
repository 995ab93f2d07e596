import type { BatchPlace } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { EXIT, UserError } from '../user-error.js';
import { noCreditsText } from '../views/troubles.js';
import { createBatchSource, tryRefusedKey, unlessOutage } from './batch-source.js';

/** What keeps the account from submitting after an order to go on: a key is tried at once; credits no order brings. */
export async function tellHeldAccount(at: BatchPlace, work: WorkAccess): Promise<void> {
  const stillRefused = await tryRefusedKey(at, work).catch((error: unknown) => {
    // The order stands: a service that gives no answer now is no reason to say that it failed.
    if (!(error instanceof UserError)) throw error;
    at.session.terminal.warn(`nothing new is submitted until the service accepts the API key: ${error.message}`);
    return undefined;
  });
  if (stillRefused !== undefined) throw new UserError(stillRefused, EXIT.configuration);
  const slots = await unlessOutage(createBatchSource(at, work).slots());
  const lacking = slots?.pauses.find(({ reason }) => reason === 'credits');
  if (lacking) at.session.terminal.warn(`nothing new is submitted yet: ${noCreditsText(lacking)}`);
}
