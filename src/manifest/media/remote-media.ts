import { type MediaFacts, type MediaSort, typeByName } from '../../domain/media-type.js';
import { parseS3Input } from '../../domain/s3.js';
import type { MediaRule } from '../../kinds/rule.js';
import { quoted } from '../problem.js';
import { isBelowAddress, type RootCheck } from './input-roots.js';
import { bytesFlaw, headFlaw, type MediaFlaw, type MediaItem, typeFlaw } from './media-limits.js';
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

/** The object's length in bytes, or in plain words why it cannot be read. */
export type LookAtS3 = (address: string) => Promise<{ ok: true; bytes: number } | { ok: false; reason: string }>;

const KNOWN_MAX = 20_000;

export interface S3MediaOptions {
  lookAtS3?: LookAtS3;
  /** The service can read signed URLs of the S3 endpoint. */
  isS3Reachable?: boolean;
}

/**
 * Checks `s3://bucket/key` media as far as name and length show; each object is looked at once. The service would be
 * given whatever the user's credentials can read: only what lies below a root is looked at.
 */
export function createS3Reader({ lookAtS3, isS3Reachable = false }: S3MediaOptions, isBelowRoot: RootCheck) {
  const known = new Map<string, ReturnType<LookAtS3>>();
  return async (name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> => {
    const refused = (message: string): MediaItem => ({ ok: false, code: 'B44', message: `${name}: ${message}` });
    if (lookAtS3 === undefined) return refused('s3:// media are not read; give a public URL or a local file');
    if (parseS3Input(text) === undefined) return refused(`${quoted(text)} is not s3://bucket/key`);
    if (!(await isBelowRoot((root) => isBelowAddress(root, text)))) {
      return refused(`${quoted(text)} is below no --out of this account; add its place with --input-root`);
    }
    if (rule.inline !== 'bytes-only' && !isS3Reachable) {
      return refused('the service cannot read the S3 endpoint: it must be public https');
    }
    const byName = typeByName(text);
    const wrong = byName === undefined ? undefined : typeFlaw(name, 'the object', byName, rule, wanted);
    if (wrong !== undefined) return { ok: false, ...wrong };
    if (known.size >= KNOWN_MAX) known.clear();
    const look = known.get(text) ?? lookAtS3(text);
    known.set(text, look);
    const found = await look;
    if (!found.ok) return refused(`cannot read ${quoted(text)}: ${found.reason}`);
    const flaw = bytesFlaw(name, found.bytes, rule);
    return flaw === undefined ? { ok: true, media: { source: 'url', url: text } } : { ok: false, ...flaw };
  };
}
