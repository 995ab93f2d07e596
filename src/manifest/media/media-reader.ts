import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { defined } from '../../domain/defined.js';
import { fileReason } from '../../domain/file-reason.js';
import { type MediaFacts, type MediaSort, typeByName } from '../../domain/media-type.js';
import type { Media } from '../../domain/row.js';
import { isS3Address } from '../../domain/s3.js';
import { megabytes } from '../../domain/shown-number.js';
import { rulesOf } from '../../kinds/index.js';
import type { MediaColumn, MediaRule, Report } from '../../kinds/rule.js';
import type { CheckedRow } from '../check-row.js';
import { takesUrlOnly } from '../columns.js';
import { createLineIndex } from '../line-index.js';
import { quoted } from '../problem.js';
import { createRootCheck, type InputRoots } from './input-roots.js';
import { createPathFinder, readDataUri } from './local-media.js';
import { mediaForm, readReference } from './media-cell.js';
import { bytesFlaw, factsFlaw, type MediaItem, typeFlaw } from './media-limits.js';
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
  read(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem>;
}

export interface MediaReaderOptions extends InputRoots, S3MediaOptions {
  /** The manifest's; paths are relative to it. */
  folder: string;
  allowLoopback: boolean;
  resolveHosts: boolean;
  hasUploadStore: boolean;
  keepBlob?: (blob: MediaBlob) => Promise<void>;
  isKnownInput?: (sha256: string) => Promise<boolean>;
  probeUrl?: UrlProbing;
}

/** Of ours, where the documents name no limit: a file is read whole. */
const READ_BYTES_MAX = 1_000_000_000;
const FILES_KEPT_MAX = 20_000;

/** Reads and checks media cells; each file is read once for its real path, time and size. */
export function createMediaReader(options: MediaReaderOptions): MediaReader {
  const hosts = createHostChecker(options);
  const isBelowRoot = createRootCheck(options);
  const findPath = createPathFinder(options.folder, isBelowRoot);
  const knownFiles = new Map<string, { facts: MediaFacts; kept: boolean }>();
  const keptBlobs = createLineIndex();
  const checkBehind = options.probeUrl === undefined ? undefined : createUrlMediaCheck(options.probeUrl);
  const s3 = createS3Reader(options, isBelowRoot);

  async function keep(facts: MediaFacts, bytes: Buffer): Promise<void> {
    if (options.keepBlob === undefined || keptBlobs.add(facts.sha256, 1) !== undefined) return;
    const { sha256, mediaType } = facts;
    await options.keepBlob({ sha256, mediaType, bytes: facts.bytes, read: () => Promise.resolve(bytes) });
  }

  function take(name: string, facts: MediaFacts, rule: MediaRule, wanted: MediaSort): MediaItem {
    const flaw = factsFlaw(name, facts, rule, wanted);
    if (flaw !== undefined) return { ok: false, ...flaw };
    const { sha256, mediaType, bytes, seconds } = facts;
    return { ok: true, media: { source: 'blob', sha256, mediaType, bytes, ...defined({ seconds }) }, facts };
  }

  async function look(name: string, bytes: Buffer, rule: MediaRule, wanted: MediaSort, path?: string) {
    const facts = await probeMedia(bytes, path);
    const item = take(name, facts, rule, wanted);
    if (item.ok) await keep(facts, bytes);
    return { facts, item };
  }

  async function readUri(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> {
    const uri = readDataUri(name, text);
    if (!uri.ok) return { ok: false, code: 'B30', message: uri.message };
    const flaw = bytesFlaw(name, uri.bytes.length, rule);
    if (flaw !== undefined) return { ok: false, ...flaw };
    return (await look(name, uri.bytes, rule, wanted)).item;
  }

  /** A file that lies elsewhere, where its very bytes were an input of the account before: nothing new leaves with them. */
  async function readGiven({ real, bytes: size }: { real: string; bytes: number }): Promise<Buffer | undefined> {
    if (options.isKnownInput === undefined || size > READ_BYTES_MAX) return undefined;
    const bytes = await readFile(real).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return (await options.isKnownInput(sha256)) ? bytes : undefined;
  }

  async function readLocal(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> {
    const path = await findPath(name, text);
    if (!path.ok) return { ok: false, code: 'B45', message: path.message };
    const key = `${path.real}\u0000${path.modifiedMs}\u0000${path.bytes}`;
    const known = knownFiles.get(key);
    const { outside } = path;
    const given = outside === undefined || known !== undefined ? undefined : await readGiven(path);
    if (outside !== undefined && known === undefined && given === undefined) {
      return { ok: false, code: 'B45', message: outside };
    }
    const flaw = bytesFlaw(name, path.bytes, rule);
    if (flaw !== undefined) return { ok: false, ...flaw };
    if (path.bytes > READ_BYTES_MAX) {
      const message = `${name} is ${megabytes(path.bytes, READ_BYTES_MAX)}; callsheet reads local files up to 1 GB: give it as a URL`;
      return { ok: false, code: 'B45', message };
    }
    const seen = known === undefined ? undefined : take(name, known.facts, rule, wanted);
    if (seen !== undefined && (known?.kept === true || !seen.ok)) return seen;
    const bytes = given ?? (await readFile(path.real).catch((error: unknown) => fileReason(error)));
    if (typeof bytes === 'string') {
      return { ok: false, code: 'B45', message: `${name}: cannot read ${quoted(text)}: ${bytes}` };
    }
    const { facts, item } = await look(name, bytes, rule, wanted, path.real);
    if (knownFiles.size >= FILES_KEPT_MAX) knownFiles.clear();
    knownFiles.set(key, { facts, kept: item.ok });
    return item;
  }

  async function readUrl(name: string, text: string, rule: MediaRule, wanted: MediaSort): Promise<MediaItem> {
    const message = await urlFlaw(name, text, rule, hosts);
    if (message !== undefined) return { ok: false, code: 'B44', message };
    const byName = typeByName(new URL(text).pathname);
    const wrong = byName === undefined ? undefined : typeFlaw(name, 'the URL', byName, rule, wanted);
    const flaw = wrong ?? (await checkBehind?.(name, text, rule, wanted));
    return flaw === undefined ? { ok: true, media: { source: 'url', url: text } } : { ok: false, ...flaw };
  }

  return {
    async read(name, text, rule, wanted) {
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

/** Reads and checks the media of a row; gives them by column, without those that are bad. */
export async function readMedia(
  row: CheckedRow,
  reader: MediaReader,
  report: Report,
): Promise<Record<string, Media[]>> {
  const media: Record<string, Media[]> = {};
  const facts = new Map<string, MediaFacts[]>();
  for (const { column, items } of row.mediaItems) {
    const { name } = column;
    const wanted = wantedSort(row, column);
    const good: Media[] = [];
    const shown: MediaFacts[] = [];
    for (const [at, text] of items.entries()) {
      const called = items.length === 1 ? name : `${name} ${at + 1}`;
      if (mediaForm(text) === 'row') {
        const reference = readReference(called, text);
        // Which row that is, is known once all were read.
        if ('id' in reference) good.push({ source: 'row', at: -1, ...reference });
        else report.problem(row, 'B70', name, reference.message);
        continue;
      }
      const item = await reader.read(called, text, column.media, wanted);
      if (!item.ok) {
        report.problem(row, item.code, name, item.message);
        continue;
      }
      good.push(item.media);
      if (item.facts !== undefined) shown.push(item.facts);
    }
    media[name] = good;
    facts.set(name, shown);
  }
  for (const { check } of rulesOf(row.kind).mediaChecks ?? []) check(row, facts, report);
  return media;
}

export function wantedSort(row: Pick<CheckedRow, 'cells'>, column: MediaColumn): MediaSort {
  const { sort, sortBy } = column.media;
  const value = sortBy === undefined ? undefined : row.cells[sortBy.column];
  const sorts = sortBy?.sorts;
  return sorts !== undefined && typeof value === 'string' && Object.hasOwn(sorts, value)
    ? (sorts[value] ?? sort)
    : sort;
}
