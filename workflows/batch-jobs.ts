import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { jobId } from '../src/contract/names.js';
import type { OpenRow } from '../src/contract/rows.js';
import type { BatchInput, BeginningJob, BeginningJobs } from '../src/contract/workflows.js';
import { homeProxy } from './proxies.js';

/** Starts and cancels the jobs of a batch. */

/** Bounds the input of one activity below 4 KB. */
const TOGETHER_MAX = 15;

/** Starts all of them at once: an activity costs the server far less than as many children. */
export async function startJobs(input: BatchInput, jobs: readonly BeginningJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const { account, policy, timeScale, syncMaxMs, isBreadthFirst } = input;
  const settings = { account, policy, timeScale, ...(syncMaxMs === undefined ? {} : { syncMaxMs }) };
  const order = isBreadthFirst ? { isBreadthFirst } : {};
  await Promise.all(together(jobs).map((some) => homeProxy(account).startJobs({ settings, ...some, ...order })));
}

/** By what they have in common, in pieces. */
function together(jobs: readonly BeginningJob[]): Omit<BeginningJobs, 'settings'>[] {
  const pieces: Omit<BeginningJobs, 'settings'>[] = [];
  for (const { row, ...begins } of jobs) {
    const { batch, generation, ...place } = row;
    const last = pieces.at(-1);
    const fits = last?.generation === generation && last.begin.length < TOGETHER_MAX;
    if (last !== undefined && fits) last.begin.push({ ...place, ...begins });
    else pieces.push({ batch, generation, begin: [{ ...place, ...begins }] });
  }
  return pieces;
}

/** Asks jobs to end; one whose submit was granted goes on and is fetched. */
export async function cancelJobs(account: string, open: readonly OpenRow[]): Promise<void> {
  await Promise.all(
    open.map(({ row }) =>
      getExternalWorkflowHandle(jobId(account, row.batch, row.id))
        .cancel()
        .catch(() => undefined),
    ),
  );
}
