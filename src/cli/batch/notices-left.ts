import { openNotices } from '../../home/notices.js';
import type { HomeAccess } from '../access/home-access.js';

/** What is still to be told of a batch, and what never will be. */
export interface NoticesLeft {
  waiting: { type: string; at: string; targets: string[] }[];
  dropped: { type: string; at: string; target: string; why: string }[];
}

export async function noticesOf({ home }: HomeAccess, batch: string): Promise<NoticesLeft | undefined> {
  const kept = openNotices(home);
  const [found, { dropped }] = await Promise.all([kept.waiting(batch), kept.told(batch)]);
  // Earlier builds kept notices of batches that name nobody.
  const waiting = found.filter(({ waits }) => waits.length > 0);
  if (waiting.length + dropped.length === 0) return undefined;
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    waiting: waiting.map(({ notice: { type, atMs }, waits }) => {
      return { type, at: at(atMs), targets: waits.map(({ label }) => label) };
    }),
    dropped: dropped.map(({ type, atMs, label, why }) => ({ type, at: at(atMs), target: label, why })),
  };
}
