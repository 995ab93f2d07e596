// Workflows of another build: under the same names, with commands that no code of today makes.
import { sleep } from '@temporalio/workflow';

/** Two timers at once: today's job begins with one. */
export async function batch(): Promise<void> {
  await Promise.all([sleep('1 hour'), sleep('2 hours')]);
}
export const semaphore = batch;
export const job = batch;
