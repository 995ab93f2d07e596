// One process: a worker, and the batch that it is started for.
import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fetchOutput, gapMs, poll, submit } from '../service.js';

const [, , file = '', address = '', codePath = ''] = process.argv;
/** @type {import('../service.js').Work} */
const work = JSON.parse(await readFile(file, 'utf8'));
/** @param {number} at */
const job = (at) => /** @type {import('../service.js').Job} */ (work.jobs[at]);
const taskQueue = 'renders';

Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities: {
    submit: (/** @type {number} */ at) => submit(work, job(at)),
    poll: (/** @type {number} */ at, /** @type {string} */ handle) => poll(work, job(at), handle),
    fetchOutput: (/** @type {number} */ at, /** @type {string} */ url) => fetchOutput(work, job(at), url),
  },
});
const { workflow } = new Client({ connection: await Connection.connect({ address }) });
await worker.runUntil(async () => {
  const semaphore = await workflow.start('semaphore', { taskQueue, workflowId: 'semaphore', args: [work.slots] });
  const gapsMs = [0, 1, 2, 3].map((polls) => gapMs(polls, work.speed));
  const args = [work.jobs.length, 3 * work.slots, job(0).poll !== null, gapsMs];
  await workflow.execute('batch', { taskQueue, workflowId: 'batch', args });
  await semaphore.terminate();
});
process.send?.({ peakMb: Math.round(process.resourceUsage().maxRSS / 1_024) });
process.exit(0);
