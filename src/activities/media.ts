import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Media, ResolvedMedia, ResolvedMediaSet, Row } from '../domain/row.js';
import { encodeJson, readJson } from '../store/json-file.js';
import { sniffMedia } from '../store/media-type.js';
import type { Adapter } from '../vendors/adapter.js';
import type { Dependencies } from './dependencies.js';

/** Inputs of a row: bytes that `run` copied into the home, and URLs that we fetch because bytes are asked for. */

/** Thrown when an input that `run` copied into the home is not there any more. */
export class InputMissing extends Error {
  override readonly name = 'InputMissing';
}

/** Thrown when a URL must be fetched first. */
export class InputNotFetched extends Error {
  override readonly name = 'InputNotFetched';
}

/** The largest input that any documented limit allows inline, bytes. */
const INPUT_BYTES_MAX = 30 * 1024 * 1024;

const fetchedSchema = z.object({ sha256: z.string(), mediaType: z.string() });

/** Reads the bytes that go inline; other URLs stay URLs, since the service fetches them. */
export async function resolveMedia(deps: Dependencies, row: Row, adapter: Adapter): Promise<ResolvedMediaSet> {
  const resolved: ResolvedMediaSet = {};
  for (const [column, list] of Object.entries(row.media)) {
    const asBytes = adapter.bytesColumns?.includes(column) ?? false;
    resolved[column] = await Promise.all(list.map((media) => resolve(deps, media, asBytes)));
  }
  return resolved;
}

/** Fetches, guarded like an output, the URLs of a row that must go as bytes; once per URL and account. */
export async function fetchInputs(deps: Dependencies, row: Row, adapter: Adapter): Promise<void> {
  for (const column of adapter.bytesColumns ?? []) {
    for (const media of row.media[column] ?? []) {
      if (media.source === 'url' && !(await knownInput(deps, media.url))) await fetchInput(deps, media.url);
    }
  }
}

async function fetchInput(deps: Dependencies, url: string): Promise<void> {
  const { stream } = await deps.downloader.fetchInput(url);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > INPUT_BYTES_MAX) throw new InputMissing('the input is larger than 30 MB');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const type = sniffMedia(bytes);
  if (type?.family !== 'image') throw new InputMissing('the input is no image');
  const sha256 = await deps.home.putBlob(bytes);
  await deps.home.store.put(inputKey(deps, url), encodeJson({ sha256, mediaType: type.contentType }));
}

async function resolve(deps: Dependencies, media: Media, asBytes: boolean): Promise<ResolvedMedia> {
  if (media.source === 'url' && !asBytes) return { form: 'url', url: media.url };
  const input = media.source === 'url' ? await knownInput(deps, media.url) : media;
  if (!input) throw new InputNotFetched('the URL was not fetched yet');
  const bytes = await deps.home.getBlob(input.sha256);
  if (!bytes) throw new InputMissing(`the input ${input.sha256} is not in the home`);
  return { form: 'bytes', mediaType: input.mediaType, base64: Buffer.from(bytes).toString('base64') };
}

function knownInput(deps: Dependencies, url: string): Promise<z.infer<typeof fetchedSchema> | undefined> {
  return readJson(deps.home.store, inputKey(deps, url), fetchedSchema);
}

function inputKey(deps: Dependencies, url: string): string {
  return `${deps.home.account}/inputs/${createHash('sha256').update(url).digest('hex')}.json`;
}
