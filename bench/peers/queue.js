// A script with p-queue, as most begin: quick, cheap, and all that it knows is gone when it dies.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { fetchOutput, gapMs, poll, submit } from './service.js';

/** @type {import('./service.js').Work} */
const work = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'));
const queue = new PQueue({ concurrency: work.slots, interval: 60_000, intervalCap: work.rpm });

await Promise.all(work.jobs.map(async (job) => await fetchOutput(work, job, await queue.add(() => render(job)))));
process.send?.({ peakMb: Math.round(process.resourceUsage().maxRSS / 1_024) });

/** @param {import('./service.js').Job} job */
async function render(job) {
  const submitted = await submit(work, job);
  if ('url' in submitted) return submitted.url;
  for (let polls = 0; ; polls++) {
    await sleep(gapMs(polls, work.speed));
    const url = await poll(work, job, submitted.handle);
    if (url !== undefined) return url;
  }
}
