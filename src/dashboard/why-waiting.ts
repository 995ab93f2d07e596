import type { PageRow } from './answers.js';
import type { DashboardSource } from './source.js';

/**
 * Why a row was not sent, as far as that lies in its batch, in a sentence; null where nothing is known. What lies in the
 * row itself or in what feeds it, its reason says.
 */
export async function whyWaiting(
  source: Pick<DashboardSource, 'status' | 'mayRun'>,
  batch: string,
  { id, status, reasonCode }: Pick<PageRow, 'id' | 'status' | 'reasonCode'>,
): Promise<string | null> {
  const isOpen = status === 'waiting' || status === 'held';
  if (!isOpen && (status !== 'not_started' || reasonCode !== '')) return null;
  if ((await source.mayRun(batch))?.has(id) === false) {
    return 'It is not of the sample: it waits until the rest of the batch is approved.';
  }
  const { state, blocked } = (isOpen && (await source.status(batch))) || {};
  if (typeof blocked === 'string') return `Its batch is blocked: ${blocked}.`;
  if (state !== 'paused' && state !== 'not running') return null;
  return `Its batch is ${state}: it waits until that is resumed.`;
}
