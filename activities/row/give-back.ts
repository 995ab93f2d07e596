import type { GivenBack, HeldGrant } from '../../src/contract/activities.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Gives a job's slot back as soon as its end at the service is in the ledger: books and files can wait, the next job
 * need not. Where it cannot be told, the job's workflow tells it.
 */
export async function giveBack(
  deps: Dependencies,
  { grant }: HeldGrant,
  how: { renderMs?: number; done?: boolean },
): Promise<GivenBack> {
  if (grant === null) return {};
  try {
    return (await deps.messenger.release({ grant, ...how })) ? { released: true } : {};
  } catch (error) {
    deps.log.warn({ grant, error: String(error) }, 'the slot could not be given back at once; its job will');
    return {};
  }
}
