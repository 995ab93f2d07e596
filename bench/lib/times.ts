import type { Truth } from '../../emulator/emulator.js';
import type { Figures } from './bench.js';
import type { Scenario } from './scenario.js';
import { percentile } from './statistics.js';
import { endOf, slotUseOf } from './truth.js';

/** How a run went, by the service's own records; whoever the client was. */

type JobRecord = Truth['jobs'][number];

export function timesOf({ jobs, requests }: Truth, scenario: Scenario): Figures {
  const { slots } = scenario;
  const rpm = scenario.rpm * scenario.speed;
  const starts = jobs.map(({ request }) => request.arrivedMs).sort((a, b) => a - b);
  const ends = jobs.map(endOf).sort((a, b) => a - b);
  // The k-th end frees the slot that the (k + slots)-th submit takes, both in the order of time.
  const gapsMs = starts.slice(slots).map((start, k) => start - (ends[k] ?? Number.NaN));
  const wallMs = (ends.at(-1) ?? Number.NaN) - (starts[0] ?? Number.NaN);
  const asked = requests.filter(({ route }) => route !== 'media');
  const lasting = jobs.map((job) => endOf(job) - job.request.arrivedMs);
  const boundMs = Math.max(
    lasting.reduce((sum, one) => sum + one, 0) / slots,
    (60_000 * (asked.length - rpm / 60)) / rpm,
    ...lasting,
  );
  const seenMs = detectionsMs({ jobs, requests });
  return {
    'makespan ÷ bound': [wallMs / boundMs, ''],
    'slot use': [100 * slotUseOf(jobs, slots), '%'],
    'slot use, worst minute': [100 * worstMinute(jobs, scenario), '%'],
    'turn-over p50': [percentile(gapsMs, 0.5), 'ms'],
    'turn-over p99': [percentile(gapsMs, 0.99), 'ms'],
    ...(seenMs.length === 0
      ? {}
      : {
          'end → seen, p50': [percentile(seenMs, 0.5), 'ms'],
          'end → seen, p99': [percentile(seenMs, 0.99), 'ms'],
        }),
    'jobs per second': [(1_000 * jobs.length) / wallMs, '1/s'],
    'most in flight': [mostInFlight(jobs), 'jobs'],
    'requests, without downloads': [asked.length / jobs.length, 'per job'],
    'answered with 429': [requests.filter(({ status }) => status === 429).length, 'requests'],
  };
}

/** From each end of a render to the first poll after it. */
function detectionsMs({ jobs, requests }: Pick<Truth, 'jobs' | 'requests'>): number[] {
  const polls = new Map<string, number[]>();
  for (const { jobId, method, route, status, arrivedMs } of requests) {
    if (jobId !== undefined && method === 'GET' && route !== 'media' && status === 200)
      polls.set(jobId, [...(polls.get(jobId) ?? []), arrivedMs]);
  }
  return jobs.flatMap(({ id, type, terminalMs = Number.POSITIVE_INFINITY }) => {
    const first = polls.get(id)?.find((atMs) => atMs >= terminalMs);
    return type === 'call' || first === undefined ? [] : [first - terminalMs];
  });
}

/** The least slot use of any minute of service time while there was more to submit; of all that time where it is less. */
function worstMinute(jobs: readonly JobRecord[], { slots, speed }: Scenario): number {
  const starts = jobs.map(({ request }) => request.arrivedMs);
  const [first, last] = [Math.min(...starts), Math.max(...starts)];
  const minuteMs = Math.min(60_000 / speed, last - first);
  let worst = Number.POSITIVE_INFINITY;
  for (let fromMs = first; fromMs + minuteMs <= last; fromMs += minuteMs / 30) {
    const busyMs = jobs.reduce((sum, job) => {
      const overlapMs = Math.min(endOf(job), fromMs + minuteMs) - Math.max(job.request.arrivedMs, fromMs);
      return sum + Math.max(0, overlapMs);
    }, 0);
    worst = Math.min(worst, busyMs / (slots * minuteMs));
  }
  return worst;
}

function mostInFlight(jobs: readonly JobRecord[]): number {
  const changes = jobs.flatMap((job) => [
    { atMs: job.request.arrivedMs, by: 1 },
    { atMs: endOf(job), by: -1 },
  ]);
  changes.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  return changes.reduce((most, { by }) => {
    now += by;
    return Math.max(most, now);
  }, 0);
}
