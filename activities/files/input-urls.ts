import { setTimeout as sleep } from 'node:timers/promises';
import type { OutputFile } from '../../src/domain/outcome.js';
import type { Media, Row } from '../../src/domain/row.js';
import { isS3Address } from '../../src/domain/s3.js';
import { ownUrlOf, staysReadable } from '../../src/home/own-url.js';
import type { RowWork } from '../../src/home/row-work.js';
import { reachableSeconds } from '../../src/kinds/expected.js';
import { needsUrl } from '../../src/manifest/columns.js';
import { DownloadError } from '../../src/service/download.js';
import type { SignedUrl, Store } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';

/** Inputs of fields that take URLs alone: local ones are uploaded once per content and signed anew for each submit. */

export type InputWork = Pick<RowWork, 'row' | 'feeders' | 'adapter' | 'options'> & { batch: string };

type Blob = Extract<Media, { source: 'blob' }>;

/** How often, and how soon again, the service's own URL of a file is looked at. */
const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 2_000;

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
};

/**
 * A fresh URL of the uploaded input; where there is none that lives long enough, the service's own of what it rendered.
 * An InputNotFetched when it is not uploaded yet.
 */
export async function inputUrl(deps: Dependencies, work: InputWork, media: Blob): Promise<string> {
  const { store, key } = placeOf(deps, work, media);
  const seconds = reachableSeconds(work.row, deps.settings.waits);
  const signed = isReadable(deps, store) ? await signedUrl(store, key, seconds, media) : undefined;
  if (signed !== undefined && lackingSeconds(signed, seconds) === 0) return signed.url;
  const url = await ownUrl(deps, work, media.sha256);
  if (url !== undefined) return url;
  if (signed === undefined)
    throw new InputMissing(
      `${ownUrlGone(work, media)}there is no S3 store from which the service could read the input`,
    );
  // Most renders end long before the longest one.
  warnOfEarlyEnd(deps, work.row, signed, seconds);
  return signed.url;
}

function ownUrlGone({ feeders }: InputWork, { sha256 }: Blob): string {
  const feeder = feeders.find(({ file }) => file?.sha256 === sha256);
  return feeder === undefined
    ? ''
    : `the service's URL of what row ${feeder.media.id} rendered is not to be had any more, and `;
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

/** Uploads the inputs of a row that the service must read by URL: each content once, however many rows name it. */
export async function uploadInputs(deps: Dependencies, work: InputWork): Promise<void> {
  for (const [column, list] of Object.entries(work.row.media)) {
    for (const media of list) {
      if (media.source !== 'blob' || !needsUrl(work.row.kind, column, media.mediaType)) continue;
      const { store, key } = placeOf(deps, work, media);
      if (!isReadable(deps, store)) continue;
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

/** The row that is fed, with its batch's name. */
export type FedWork = Pick<RowWork, 'row' | 'feeders'> & { batch: string };

/**
 * The URL that the service itself gave for what another row rendered: for a column that takes URLs alone where no bucket
 * can be signed for long enough. Only where it lives until the longest render of the fed row has ended, and where the file behind it
 * answers now and is as long as the one that was recorded. Undefined where that cannot be had.
 */
export async function ownUrl(deps: Dependencies, work: FedWork, sha256: string): Promise<string | undefined> {
  const feeder = work.feeders.find(({ file }) => file?.sha256 === sha256);
  if (feeder?.row === undefined || feeder.file === undefined) return undefined;
  const { reusedFrom, reusedSubmittedAtMs } = feeder.record ?? {};
  const rendered = { batch: work.batch, id: feeder.row.id, reusedFrom, reusedSubmittedAtMs };
  const given = await ownUrlOf(deps.ledger, rendered);
  const { timeScale, waits } = deps.settings;
  const at = { nowMs: deps.now(), timeScale, waits };
  if (given === undefined || !staysReadable(feeder.row.kind, given, work.row, at)) return undefined;
  return (await answers(deps, given.url, feeder.file)) ? given.url : undefined;
}

/** A failure that passes says nothing of the file, and one look that failed would end the row. */
async function answers(deps: Dependencies, url: string, file: OutputFile, looks = LOOKS_MAX): Promise<boolean> {
  try {
    return await givesFile(deps, url, file);
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    if (error.reason === 'expired' || looks <= 1) return false;
    await sleep(LOOK_AGAIN_MS / deps.settings.timeScale);
    return answers(deps, url, file, looks - 1);
  }
}

async function givesFile(deps: Dependencies, url: string, { bytes }: OutputFile): Promise<boolean> {
  const { contentLength, stream } = await deps.downloader.fetchInput(url);
  // Its first byte is enough, and leaving the stream ends the request.
  for await (const chunk of stream) if (chunk.length > 0) return contentLength === undefined || contentLength === bytes;
  return false;
}

/** Thrown when an input cannot be used however often it is tried; the message goes into the row's result: no URL in it. */
export class InputMissing extends Error {
  override readonly name = 'InputMissing';
}

/** Thrown when an input must be fetched or uploaded before the submit can name it. */
export class InputNotFetched extends Error {
  override readonly name = 'InputNotFetched';
}
