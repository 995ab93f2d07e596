import { readFile } from 'node:fs/promises';
import { type MediaFacts, type MediaSort, typeByName } from '../../domain/media-type.js';
import { isS3Address } from '../../domain/s3.js';
import type { MediaRule } from '../../kinds/rule.js';
import { takesUrlOnly } from '../columns.js';
import { createLineIndex } from '../line-index.js';
import { quoted } from '../problem.js';
import { createPathFinder, type MediaRoots, readDataUri, reasonOf } from './local-media.js';
import { mediaForm } from './media-cell.js';
import { bytesFlaw, factsFlaw, type MediaItem, megabytes, typeFlaw } from './media-limits.js';
import { createHostChecker, urlFlaw } from './media-url.js';
import { probeMedia } from './probe-media.js';
import { createS3Reader, createUrlMediaCheck, type S3MediaOptions, type UrlProbing } from './remote-media.js';

/** Bytes of a medium, offered for keeping; `read` gives exactly the bytes that were checked. */
export interface MediaBlob {
  sha256: string;
  mediaType: string;
  bytes: number;
  read(): Promise<Uint8Array>;
}

export interface MediaReader {
  read(name: string, text: string, rule: MediaRule, wanted: MediaSort): MediaItem | Promise<MediaItem>;
}

export interface MediaReaderOptions extends MediaRoots, S3MediaOptions {
  allowLoopback: boolean;
  resolveHosts: boolean;
  hasUploadStore: boolean;
  keepBlob?: (blob: MediaBlob) => Promise<void>;
  probeUrl?: UrlProbing;
}

/** Of ours, where the documents name no limit: a file is read whole. */
const READ_BYTES_MAX = 1_000_000_000;
const FILES_KEPT_MAX = 20_000;

/** Reads and checks media cells; each file is read once for its real path, time and size. */
export function createMediaReader(options: MediaReaderOptions): MediaReader {
  const hosts = createHostChecker(options);
  const findPath = createPathFinder(options);
  const knownFiles = new Map<string, { facts: MediaFacts; kept: boolean }>();
  const keptBlobs = createLineIndex();
  const checkBehind = options.probeUrl === undefined ? undefined : createUrlMediaCheck(options.probeUrl);
  const s3 = createS3Reader(options);

  async function keep(facts: MediaFacts, bytes: Buffer): Promise<void> {
    if (options.keepBlob === undefined || keptBlobs.add(facts.sha256, 1) !== undefined) return;
    const { sha256, mediaType } = facts;
    await options.keepBlob({ sha256, mediaType, bytes: facts.bytes, read: () => Promise.resolve(bytes) });
  }

  function take(name: string, facts: MediaFacts, rule: MediaRule, wanted: MediaSort): MediaItem {
    const flaw = factsFlaw(name, facts, rule, wanted);
    if (flaw !== undefined) return { ok: false, ...flaw };
    const { sha256, mediaType, bytes, seconds } = facts;
    const length = seconds === undefined ? {} : { seconds };
    return { ok: true, media: { source: 'blob', sha256, mediaType, bytes, ...length }, facts };
  }

  async function readUri(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> {
    const uri = readDataUri(name, text);
    if (!uri.ok) return { ok: false, code: 'B30', message: uri.message };
    const flaw = bytesFlaw(name, uri.bytes.length, rule);
    if (flaw !== undefined) return { ok: false, ...flaw };
    const facts = await probeMedia(uri.bytes);
    const item = take(name, facts, rule, wanted);
    if (item.ok) await keep(facts, uri.bytes);
    return item;
  }

  async function readLocal(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> {
    const path = await findPath(name, text);
    if (!path.ok) return { ok: false, code: 'B45', message: path.message };
    const flaw = bytesFlaw(name, path.bytes, rule);
    if (flaw !== undefined) return { ok: false, ...flaw };
    if (path.bytes > READ_BYTES_MAX) {
      const message = `${name} is ${megabytes(path.bytes)}; callsheet reads local files up to 1 GB: give it as a URL`;
      return { ok: false, code: 'B45', message };
    }
    const key = `${path.real}\u0000${path.modifiedMs}\u0000${path.bytes}`;
    const known = knownFiles.get(key);
    const seen = known === undefined ? undefined : take(name, known.facts, rule, wanted);
    if (seen !== undefined && (known?.kept === true || !seen.ok)) {
      return seen;
    }
    const bytes = await readFile(path.real).catch((error: unknown) => reasonOf(error));
    if (typeof bytes === 'string') {
      return { ok: false, code: 'B45', message: `${name}: cannot read ${quoted(text)}: ${bytes}` };
    }
    const facts = await probeMedia(bytes);
    const item = take(name, facts, rule, wanted);
    if (item.ok) await keep(facts, bytes);
    if (knownFiles.size >= FILES_KEPT_MAX) knownFiles.clear();
    knownFiles.set(key, { facts, kept: item.ok });
    return item;
  }

  function readUrl(name: string, text: string, rule: MediaRule, wanted: MediaSort): MediaItem | Promise<MediaItem> {
    const flaw = urlFlaw(name, text, rule, hosts);
    const finish = (message: string | undefined): MediaItem | Promise<MediaItem> => {
      if (message !== undefined) return { ok: false, code: 'B44', message };
      const byName = typeByName(new URL(text).pathname);
      const wrong = byName === undefined ? undefined : typeFlaw(name, 'the URL', byName, rule, wanted);
      if (wrong !== undefined) return { ok: false, ...wrong };
      const good: MediaItem = { ok: true, media: { source: 'url', url: text } };
      if (checkBehind === undefined) return good;
      return checkBehind(name, text, rule, wanted).then((found) =>
        found === undefined ? good : { ok: false, ...found },
      );
    };
    return flaw instanceof Promise ? flaw.then(finish) : finish(flaw);
  }

  return {
    read(name, text, rule, wanted) {
      const form = mediaForm(text);
      if (isS3Address(text)) return s3(name, text, rule, wanted);
      if (form === 'url') return readUrl(name, text, rule, wanted);
      const isData = form === 'data';
      if (takesUrlOnly(rule, wanted) && !options.hasUploadStore) {
        const message = `${name} takes a public URL only, not ${isData ? 'a data: URI' : 'a local file'}: the endpoint takes no bytes, and there is no S3 store to upload to`;
        return { ok: false, code: 'B45', message };
      }
      return isData ? readUri(name, text, rule, wanted) : readLocal(name, text, rule, wanted);
    },
  };
}
