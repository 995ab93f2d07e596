/** Every workflow type that a worker registers. */

export { batch } from './batch.js';
export { job } from './job.js';
export { semaphore } from './semaphore.js';
export { accountRead, lateHandle, lateOutput, lateResults } from './small-workflows.js';
