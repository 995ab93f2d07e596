import type { MediaSort } from '../../domain/media-type.js';
import { typeByName } from '../../domain/media-type.js';
import { parseS3Input } from '../../domain/s3.js';
import type { MediaRule } from '../../kinds/rule.js';
import { quoted } from '../problem.js';
import type { MediaItem } from './media-item.js';
import { bytesFlaw, typeFlaw } from './media-limits.js';

/** The object's length in bytes, or in plain words why it cannot be read. */
export type LookAtS3 = (address: string) => Promise<{ ok: true; bytes: number } | { ok: false; reason: string }>;

const KNOWN_MAX = 20_000;

export interface S3MediaOptions {
  lookAtS3?: LookAtS3;
  /** The service can read signed URLs of the S3 endpoint. */
  isS3Reachable?: boolean;
}

/** Checks `s3://bucket/key` media as far as name and length show; each object is looked at once. */
export function createS3Reader({ lookAtS3, isS3Reachable = false }: S3MediaOptions) {
  const known = new Map<string, ReturnType<LookAtS3>>();
  return async (name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> => {
    const refused = (message: string): MediaItem => ({ ok: false, code: 'B44', message: `${name}: ${message}` });
    if (lookAtS3 === undefined) return refused('s3:// media are not read; give a public URL or a local file');
    if (parseS3Input(text) === undefined) return refused(`${quoted(text)} is not s3://bucket/key`);
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
