import type { SemaphoreState } from '../src/contract/semaphore.js';
import type { RenderTimes } from '../src/contract/workflows.js';

/** What renders of a kind took lately, from which the next polls are planned. Pure. */

/** How many render times are remembered per kind. */
const RENDER_TIMES_MAX = 40;

export function rememberRender(state: SemaphoreState, kind: number, renderMs: number): void {
  const times = state.renderTimesMs[String(kind)] ?? [];
  times.push(Math.round(renderMs));
  state.renderTimesMs[String(kind)] = times.slice(-RENDER_TIMES_MAX);
}

/** Percentiles of the recent render times of a kind; null with fewer than three. */
export function expectedRender(state: SemaphoreState, kind: number): RenderTimes | null {
  const times = state.renderTimesMs[String(kind)];
  if (!times || times.length < 3) return null;
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}
