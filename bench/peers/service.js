// The service as a plain script calls it: no retry, no record, nothing that survives the process.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @typedef {{ id: string, path: string, poll: string | null, body: object }} Job `poll` is null for a synchronous call
 * @typedef {{ baseUrl: string, key: string, speed: number, out: string, slots: number, rpm: number, jobs: Job[] }} Work
 */

/** When a job is polled after its submit or the poll before, s of service time; the last gap repeats. */
const POLL_GAPS_S = [5, 10, 20, 30];

/**
 * @param {number} polls how often it was polled
 * @param {number} speed
 */
export function gapMs(polls, speed) {
  return (1_000 * (POLL_GAPS_S[Math.min(polls, POLL_GAPS_S.length - 1)] ?? 30)) / speed;
}

/**
 * The handle of a job, or the URL of what a synchronous call has rendered.
 * @param {Work} work
 * @param {Job} job
 * @returns {Promise<{ handle: string } | { url: string }>}
 */
export async function submit(work, job) {
  const answer = await ask(work, job.path, { method: 'POST', body: JSON.stringify(job.body) });
  return job.poll === null ? { url: answer.data[0].url } : { handle: answer.task_id };
}

/**
 * The URL of the output; undefined while it renders.
 * @param {Work} work
 * @param {Job} job
 * @param {string} handle
 * @returns {Promise<string | undefined>}
 */
export async function poll(work, job, handle) {
  const { task } = await ask(work, `${job.poll}/${handle}`, {});
  if (['failed', 'cancelled'].includes(task.status)) throw new Error(`${job.id} ${task.status}`);
  return task.status === 'succeeded' ? task.content.url : undefined;
}

/**
 * @param {Work} work
 * @param {Job} job
 * @param {string} url
 */
export async function fetchOutput(work, job, url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await writeFile(join(work.out, job.id), Buffer.from(await response.arrayBuffer()));
}

/**
 * @param {Work} work
 * @param {string} path
 * @param {RequestInit} init
 */
async function ask({ baseUrl, key }, path, init) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(baseUrl + path, { ...init, headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}
