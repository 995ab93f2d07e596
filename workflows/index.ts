/** Every workflow type that a worker registers. */
export { accountRead } from './account-read.js';
export { batch } from './batch.js';
export { job } from './job.js';
export { lateHandle } from './late-handle.js';
export { lateOutput } from './late-output.js';
export { lateResults } from './late-results.js';
export { semaphore } from './semaphore.js';
