import type { Truth } from '../../emulator/emulator.js';

/** What the service's own records tell of a run. */

type JobRecord = Truth['jobs'][number];

export function endOf({ terminalMs, request }: JobRecord): number {
  return terminalMs ?? request.endedMs ?? request.arrivedMs;
}

/** The part of the slots' time that was used, from the first submit to the last end. */
export function slotUseOf(jobs: readonly JobRecord[], slots: number): number {
  const startMs = Math.min(...jobs.map(({ request }) => request.arrivedMs));
  const endMs = Math.max(...jobs.map(endOf));
  const busyMs = jobs.reduce((sum, job) => sum + endOf(job) - job.request.arrivedMs, 0);
  return busyMs / (slots * (endMs - startMs));
}
