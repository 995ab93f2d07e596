// As Temporal's public samples teach it: a mutex by signals (here of so many slots), polling by a loop of timers, a
// window of child workflows.
import {
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';

const { submit, poll, fetchOutput } = proxyActivities({ startToCloseTimeout: '10 minutes' });
export const acquire = defineSignal('acquire');
export const release = defineSignal('release');
const granted = defineSignal('granted');
const SEMAPHORE = 'semaphore';

/**
 * Gives its slots to who asked first; ends by being terminated.
 * @param {number} free
 * @param {string[]} waiting
 */
export async function semaphore(free, waiting = []) {
  setHandler(acquire, (/** @type {string} */ who) => void waiting.push(who));
  setHandler(release, () => void free++);
  while (!workflowInfo().continueAsNewSuggested) {
    await condition(() => free > 0 && waiting.length > 0);
    const chosen = waiting.splice(0, free);
    free -= chosen.length;
    await Promise.all(chosen.map((who) => getExternalWorkflowHandle(who).signal(granted)));
  }
  await continueAsNew(free, waiting);
}

/**
 * @param {number} at
 * @param {boolean} isPolled
 * @param {number[]} gapsMs
 */
export async function render(at, isPolled, gapsMs) {
  let isGranted = false;
  setHandler(granted, () => {
    isGranted = true;
  });
  const slots = getExternalWorkflowHandle(SEMAPHORE);
  await slots.signal(acquire, workflowInfo().workflowId);
  await condition(() => isGranted);
  const submitted = await submit(at);
  let url = submitted.url;
  for (let polls = 0; isPolled && url === undefined; polls++) {
    await sleep(gapsMs[Math.min(polls, gapsMs.length - 1)] ?? 0);
    url = await poll(at, submitted.handle);
  }
  await slots.signal(release);
  await fetchOutput(at, url);
}

/**
 * @param {number} jobs
 * @param {number} window how many jobs are workflows at a time
 * @param {boolean} isPolled
 * @param {number[]} gapsMs
 */
export async function batch(jobs, window, isPolled, gapsMs) {
  let open = 0;
  for (let at = 0; at < jobs; at++) {
    await condition(() => open < window);
    open++;
    const child = startChild(render, { args: [at, isPolled, gapsMs], workflowId: `render-${at}` });
    void child.then((started) => started.result()).finally(() => open--);
  }
  await condition(() => open === 0);
}
