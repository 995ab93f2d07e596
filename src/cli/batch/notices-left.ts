import { openNotices } from '../../home/notices.js';
import type { HomeAccess } from '../access/home-access.js';

/** What is still to be told of a batch, and what never will be. */
export interface NoticesLeft {
  waiting: { type: string; at: string; targets: string[] }[];
  dropped: { type: string; at: string; target: string; why: string }[];
}

export async function noticesOf({ home }: HomeAccess, batch: string): Promise<{ notices?: NoticesLeft }> {
  const kept = openNotices(home);
  const [waiting, { dropped }] = await Promise.all([kept.waiting(batch), kept.told(batch)]);
  if (waiting.length + dropped.length === 0) return {};
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    notices: {
      waiting: waiting.map(({ notice, waits }) => ({
        type: notice.type,
        at: at(notice.atMs),
        targets: waits.map(({ label }) => label),
      })),
      dropped: dropped.map(({ type, atMs, label, why }) => ({ type, at: at(atMs), target: label, why })),
    },
  };
}

export function noticesLines({ waiting, dropped }: NoticesLeft): string[] {
  return [
    ...waiting.map(({ type, at, targets }) => `notice    '${type}' of ${at} waits for ${targets.join(', ')}`),
    ...dropped.map(({ type, target, why }) => `notice    '${type}' to ${target} was dropped: ${why}`),
  ];
}
