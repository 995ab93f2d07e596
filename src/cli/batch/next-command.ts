import type { BatchStateReport } from './batch-state.js';

/** What a person would type next for a batch, without the flags that say where it lies. Pure. */
export function nextWords({ batch, state, counts, needPerson, stopped }: BatchStateReport): string {
  switch (state) {
    case 'sampled':
      return needPerson > 0 ? `review list ${batch}` : `approve ${batch}`;
    case 'paused':
    case 'not running':
      return `resume ${batch}`;
    case 'running':
    case 'cancelling':
    case 'writing results':
    case 'unknown':
      return `watch ${batch}`;
    case 'ended':
    case 'finished':
      break;
  }
  if (needPerson > 0) return `review list ${batch}`;
  if (stopped !== null) return `resume ${batch}`;
  return counts.failed + counts.cancelled > 0 ? `retry ${batch}` : `results ${batch}`;
}
