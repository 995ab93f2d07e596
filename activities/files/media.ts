import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ResponseFormat } from '../../src/domain/batch.js';
import type { ServiceRequest } from '../../src/domain/exchange.js';
import type { Media, ResolvedMedia, ResolvedMediaSet } from '../../src/domain/row.js';
import { isS3Address } from '../../src/domain/s3.js';
import { readBatchOrder } from '../../src/home/batch-order.js';
import { isReady } from '../../src/home/feeders.js';
import { reachableSeconds } from '../../src/kinds/expected.js';
import { needsUrl } from '../../src/manifest/columns.js';
import { encodeJson, forgotten, readJson } from '../../src/store/json-file.js';
import { sniffMedia } from '../../src/store/media-type.js';
import type { Dependencies } from '../dependencies.js';
import type { CallbackOffer } from '../row/intent.js';
import { InputMissing, InputNotFetched, type InputWork, inputUrl, uploadInputs, warnOfEarlyEnd } from './input-urls.js';

/** Inputs of a row: bytes that `run` copied into the home, and addresses that are fetched or signed for the service. */

/** The largest input that any documented limit allows inline, bytes. */
const INPUT_BYTES_MAX = 30 * 1024 * 1024;

/** As base64 in one text there is no room for more: a text ends at 2^29 characters. */
const INLINE_BYTES_MAX = 400_000_000;

/** Without a time: noted by an older build. */
const fetchedSchema = z.object({ sha256: z.string(), mediaType: z.string(), atMs: z.number().optional() });

/** Reads the bytes that go inline and signs what lies in buckets; other URLs stay, since the service fetches them. */
export async function resolveMedia(deps: Dependencies, work: InputWork): Promise<ResolvedMediaSet> {
  const resolved: ResolvedMediaSet = {};
  for (const [column, list] of Object.entries(work.row.media)) {
    resolved[column] = await Promise.all(list.map((media) => resolve(deps, work, column, media)));
  }
  return resolved;
}

interface NotBuilt {
  reason: 'input_missing' | 'invalid_request';
  text?: string;
}

/** The request of a row; a reason where its inputs or its cells make none. */
export async function buildRequest(
  deps: Dependencies,
  { row, feeders, adapter, options, batch }: InputWork,
  responseFormat: ResponseFormat,
  offer: CallbackOffer | undefined,
): Promise<ServiceRequest | 'needs_inputs' | NotBuilt> {
  // While the row waited for its slot a person may have ordered another render of what feeds it.
  if (!isReady(feeders)) return 'needs_inputs';
  try {
    return adapter.submitRequest(row, await resolveMedia(deps, { row, feeders, adapter, options, batch }), {
      responseFormat,
      aliasPaths: deps.settings.aliasPaths,
      ...(offer ? { callbackUrl: offer.url } : {}),
    });
  } catch (error) {
    if (error instanceof InputNotFetched) return 'needs_inputs';
    if (error instanceof InputMissing) return { reason: 'input_missing', text: error.message };
    if (!(error instanceof TypeError)) throw error;
    // An adapter that cannot build the body: the same row would fail for ever.
    deps.log.error({ id: row.id, kind: row.kind, error: error.message }, 'the request could not be built');
    return { reason: 'invalid_request' };
  }
}

/**
 * Fetches, guarded like an output, what must go as bytes, once per address and order; uploads what must go as a URL, once
 * per content.
 */
export async function fetchInputs(deps: Dependencies, work: InputWork): Promise<void> {
  for (const column of work.adapter.bytesColumns ?? []) {
    for (const media of work.row.media[column] ?? []) {
      if (media.source === 'url' && !(await knownInput(deps, work, media.url))) await fetchInput(deps, work, media.url);
    }
  }
  await uploadInputs(deps, work);
}

async function fetchInput(deps: Dependencies, work: InputWork, url: string): Promise<void> {
  const stream = isS3Address(url) ? await deps.openInput(url).read() : (await deps.downloader.fetchInput(url)).stream;
  if (stream === undefined) throw new InputMissing('the input is not in its bucket');
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
  // The clock of the machine that gave the order may be ahead: what was fetched for it is never older than it.
  const atMs = Math.max(deps.now(), await orderedAtMs(deps, work));
  await deps.home.store.put(inputKey(deps, url), encodeJson({ sha256, mediaType: type.contentType, atMs }));
}

/** When the row was ordered last: what lies behind an address may have been replaced before that, and is looked at anew. */
async function orderedAtMs({ home, rows, records }: Dependencies, { batch, row }: InputWork): Promise<number> {
  const [generation, order, record] = await Promise.all([
    rows.currentGeneration(batch),
    readBatchOrder(home, batch),
    records.readRecord(batch, row.id),
  ]);
  const facts = generation === undefined ? undefined : await rows.generation(batch, generation);
  return Math.max(facts?.createdAtMs ?? 0, order?.retry?.beforeMs ?? 0, record?.rerunAtMs ?? 0);
}

async function resolve(deps: Dependencies, work: InputWork, column: string, media: Media): Promise<ResolvedMedia> {
  if (media.source === 'row') throw new InputNotFetched('the output of the other row was not looked at yet');
  const asBytes = work.adapter.bytesColumns?.includes(column) ?? false;
  if (media.source === 'url' && !asBytes) return { form: 'url', url: await reachable(deps, work, media.url) };
  if (media.source === 'blob' && needsUrl(work.row.kind, column, media.mediaType)) {
    return { form: 'url', url: await inputUrl(deps, work, media) };
  }
  const input = media.source === 'url' ? await knownInput(deps, work, media.url) : media;
  if (!input) throw new InputNotFetched('the URL was not fetched yet');
  const bytes = await deps.home.getBlob(input.sha256);
  if (!bytes && work.feeders.some(({ file, frame }) => (frame ?? file)?.sha256 === input.sha256)) {
    throw new InputNotFetched('what another row rendered was not looked at yet');
  }
  if (!bytes) throw new InputMissing(`the input ${input.sha256} is not in the home`);
  if (bytes.length > INLINE_BYTES_MAX)
    throw new InputMissing('the input is larger than 400 MB, which no request holds');
  return { form: 'bytes', mediaType: input.mediaType, base64: Buffer.from(bytes).toString('base64') };
}

/** The service cannot read `s3://`: it gets a URL that is signed for as long as the render may last. */
async function reachable(deps: Dependencies, { row }: InputWork, url: string): Promise<string> {
  if (!isS3Address(url)) return url;
  const seconds = reachableSeconds(row, deps.settings.waits);
  const signed = await deps.openInput(url).url(seconds);
  warnOfEarlyEnd(deps, row, signed, seconds);
  return signed.url;
}

async function knownInput(
  deps: Dependencies,
  work: InputWork,
  url: string,
): Promise<z.infer<typeof fetchedSchema> | undefined> {
  const known = await readJson(deps.home.store, inputKey(deps, url), fetchedSchema, forgotten);
  return known && (known.atMs ?? 0) >= (await orderedAtMs(deps, work)) ? known : undefined;
}

function inputKey(deps: Dependencies, url: string): string {
  return deps.home.keys.input(createHash('sha256').update(url).digest('hex'));
}
