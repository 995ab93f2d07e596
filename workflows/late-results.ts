import { setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import type { LateResultsInput } from '../src/contract/workflows.js';
import { resultsProxy } from './proxies.js';

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
    await resultsProxy(account).rewriteResults({ batch });
  }
}
