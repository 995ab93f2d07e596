import { isRetouched } from '../../src/domain/outcome.js';
import type { Media, Row } from '../../src/domain/row.js';
import { isS3Address } from '../../src/domain/s3.js';
import type { Feeder } from '../../src/home/feeders.js';
import type { RowWork } from '../../src/home/row-work.js';
import { reachableSeconds } from '../../src/kinds/expected.js';
import { needsUrl } from '../../src/manifest/columns.js';
import type { SignedUrl, Store } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';
import { freshOwnUrl, type OwnLook, ownUrl } from './own-urls.js';

/** Inputs of fields that take URLs alone: local ones are uploaded once per content and signed anew for each submit. */

export type InputWork = Pick<RowWork, 'row' | 'feeders' | 'adapter' | 'options'> & { batch: string };

type Blob = Extract<Media, { source: 'blob' }>;

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
};

/**
 * A fresh URL of the uploaded input; where there is none that lives long enough, the service's own of what it rendered.
 * An InputNotFetched when it is not uploaded yet, or its own URL does not answer now: that is waited for without a slot.
 */
export async function inputUrl(deps: Dependencies, work: InputWork, media: Blob): Promise<string> {
  const { store, key } = placeOf(deps, work, media);
  const seconds = reachableSeconds(work.row, deps.settings.waits);
  const signed = isReadable(deps, store) ? await signedUrl(store, key, seconds, media) : undefined;
  if (signed !== undefined && lackingSeconds(signed, seconds) === 0) return signed.url;
  const own = await ownUrl(deps, work, media.sha256);
  if (own.url !== undefined) return own.url;
  if (signed === undefined) throw withoutUrl(work, media, own);
  // Most renders end long before the longest one.
  warnOfEarlyEnd(deps, work.row, signed, seconds);
  return signed.url;
}

function withoutUrl({ feeders }: InputWork, { sha256 }: Blob, { away }: OwnLook): Error {
  const feeder = feeders.find(({ file }) => file?.sha256 === sha256);
  const text = `${feeder ? noUrlOf(feeder, away) : ''}there is no S3 store from which the service could read the input`;
  return away === undefined ? new InputMissing(text) : new InputAway(text);
}

function noUrlOf({ media, record }: Feeder, away: string | undefined): string {
  if (record && isRetouched(record)) return `the file of row ${media.id} was changed after it was rendered, and `;
  const answered = away === undefined ? '' : ` (${away})`;
  return `the service's URL of what row ${media.id} rendered is not to be had any more${answered}, and `;
}

async function signedUrl(
  store: Store,
  key: string,
  seconds: number,
  { mediaType }: Blob,
): Promise<SignedUrl | undefined> {
  if ((await store.size(key)) === undefined) throw new InputNotFetched('the input was not uploaded yet');
  return store.url(key, seconds, mediaType);
}

/** Whether the service can read what lies in a store. */
function isReadable({ isS3Reachable }: Dependencies, { location }: Store): boolean {
  return isS3Reachable && isS3Address(location);
}

/** Temporary credentials take their signatures with them when they end. */
function lackingSeconds({ endsAtMs }: SignedUrl, seconds: number): number {
  const lacking = Math.round((Date.now() + seconds * 1_000 - endsAtMs) / 1_000);
  return lacking > 1 ? lacking : 0;
}

export function warnOfEarlyEnd(deps: Dependencies, row: Row, signed: SignedUrl, seconds: number): void {
  const lacking = lackingSeconds(signed, seconds);
  if (lacking > 0) {
    deps.log.warn({ id: row.id, lackingSeconds: lacking }, 'the S3 credentials end before the longest render');
  }
}

/**
 * Uploads the inputs of a row that the service must read by URL: each content once, however many rows name it. Where there
 * is no place for them, looks whether the service's own URL can be named.
 */
export async function uploadInputs(deps: Dependencies, work: InputWork): Promise<void> {
  for (const [column, list] of Object.entries(work.row.media)) {
    for (const media of list) {
      if (media.source !== 'blob' || !needsUrl(work.row.kind, column, media.mediaType)) continue;
      const { store, key } = placeOf(deps, work, media);
      if (!isReadable(deps, store)) {
        const own = await freshOwnUrl(deps, work, media.sha256);
        if (own.url === undefined) throw withoutUrl(work, media, own);
        continue;
      }
      await together(deps, `${store.location}/${key}`, () => uploadIfAbsent(deps, store, key, media));
    }
  }
}

/** What several rows need at once is copied by the first; two writers of one name would take each other's parts away. */
export async function together({ uploads }: Dependencies, name: string, copy: () => Promise<void>): Promise<void> {
  const copying = uploads.get(name) ?? copy();
  uploads.set(name, copying);
  await copying.finally(() => uploads.delete(name));
}

async function uploadIfAbsent(deps: Dependencies, store: Store, key: string, { sha256 }: Blob): Promise<void> {
  if ((await store.size(key)) !== undefined) return;
  const source = await deps.home.readBlob(sha256);
  if (source === undefined) throw new InputMissing(`the input ${sha256} is not in the home`);
  await store.putStream(key, source, { attemptName: `input-${sha256}`, ifExists: 'fail' });
}

/** In a bucket's home the bytes lie where `run` put them; else they go into the batch's own place of the outputs. */
function placeOf(deps: Dependencies, { batch, options }: InputWork, media: Blob): { store: Store; key: string } {
  if (isS3Address(deps.settings.home)) return { store: deps.home.store, key: deps.home.keys.blob(media.sha256) };
  const extension = EXTENSIONS[media.mediaType] ?? media.mediaType.slice(media.mediaType.indexOf('/') + 1);
  return { store: deps.openStore(options.out), key: `${batch}/inputs/${media.sha256}.${extension}` };
}

/** Thrown when an input cannot be used however often it is tried; the message goes into the row's result: no URL in it. */
export class InputMissing extends Error {
  override readonly name = 'InputMissing';
}

/** Thrown when an input must be fetched or uploaded before the submit can name it. */
export class InputNotFetched extends Error {
  override readonly name: string = 'InputNotFetched';
}

/** Thrown when the service's own URL of an input lives and does not answer as it should: it is looked at again. */
export class InputAway extends InputNotFetched {
  override readonly name = 'InputAway';
}
