import type { JobKey } from '../src/contract/semaphore.js';

/** Whether two keys name the same job. */
export function sameJob(a: JobKey, b: JobKey): boolean {
  return a.batch === b.batch && a.id === b.id;
}
