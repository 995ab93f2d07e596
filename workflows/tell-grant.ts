import { getExternalWorkflowHandle, patched } from '@temporalio/workflow';
import { granted } from '../src/contract/messages.js';
import { jobId } from '../src/contract/names.js';
import type { Granted } from '../src/contract/semaphore.js';
import type { Grant } from './permits.js';
import { localProxy } from './proxies.js';

/**
 * Tells a job its grant; false when no such job runs. The worker itself signals: a signal of the workflow would come back
 * as an event, and with it one more workflow task for each grant.
 */
export async function tellGrant(account: string, { job, standsBy }: Grant, message: Granted): Promise<boolean> {
  if (patched('grants-told-locally'))
    return localProxy().tellGrant({ job, message, ...(standsBy ? { standsBy } : {}) });
  try {
    await getExternalWorkflowHandle(jobId(account, job.batch, job.id)).signal(granted, message);
    return true;
  } catch {
    return false;
  }
}
