import type { MediaFacts } from '../../domain/media-facts.js';
import type { MediaSort } from '../../domain/media-type.js';
import type { MediaRule } from '../../kinds/rule.js';
import { bytesFlaw, headFlaw, type MediaFlaw } from './media-limits.js';
import { probeMedia } from './probe-media.js';

/** Gives the beginning of what stands behind a URL, or why it cannot be had; never throws. */
export type UrlProbing = (
  url: string,
  followsRedirects: boolean,
) => Promise<{ ok: true; totalBytes?: number; head: Uint8Array } | { ok: false; why: string }>;

type Found = { ok: true; totalBytes: number; facts: MediaFacts } | { ok: false; why: string };

const URLS_KEPT_MAX = 10_000;

/** Checks size, type and pixels behind media URLs; each URL is asked once. */
export function createUrlMediaCheck(probe: UrlProbing) {
  const kept = new Map<string, Promise<Found>>();

  async function look(url: string, follows: boolean): Promise<Found> {
    const found = await probe(url, follows);
    if (!found.ok) return found;
    const { head, totalBytes = head.length } = found;
    return { ok: true, totalBytes, facts: await probeMedia(Buffer.from(head)) };
  }

  function foundAt(url: string, follows: boolean): Promise<Found> {
    const key = `${follows} ${url}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= URLS_KEPT_MAX) kept.clear();
    const asked = look(url, follows);
    kept.set(key, asked);
    return asked;
  }

  return async (name: string, url: string, rule: MediaRule, wanted: MediaSort): Promise<MediaFlaw | undefined> => {
    const found = await foundAt(url, rule.redirects !== 'refused');
    if (!found.ok) return { code: 'B44', message: `${name} url cannot be fetched: ${found.why}` };
    return bytesFlaw(name, found.totalBytes, rule) ?? headFlaw(name, found.facts, rule, wanted);
  };
}
