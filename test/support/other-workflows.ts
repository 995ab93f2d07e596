// Workflows of another build: under the same names, with commands that no code of today makes.
import { sleep } from '@temporalio/workflow';

export const batch = (): Promise<void> => sleep('1 hour');
export const semaphore = batch;
export const job = batch;
