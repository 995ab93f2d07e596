import type { RowRef } from '../contract/workflows.js';
import { isRecordOf, type OutputFile, type RowRecord } from '../domain/outcome.js';
import { type FedInput, type FedMedia, fedMedia, type Media, type Row } from '../domain/row.js';
import { factsOf } from '../kinds/facts.js';
import type { FedFile } from '../store/sidecar.js';
import type { AccountRecords } from './account-records.js';
import { type PartFeeds, readFeeds } from './feeds.js';
import { firstFiles } from './past-renders.js';
import type { Records } from './row-records.js';
import { type Rows, rowAt } from './rows.js';

/** The rows that feed a row, and what came of them. */

export interface FeedSources {
  rows: Rows;
  records: Records;
}

export interface Feeder {
  media: FedMedia;
  /** Undefined where its line in the home cannot be read. */
  row: Row | undefined;
  record: RowRecord | undefined;
  /** What feeds: set once the row is done with the content that the manifest has, or was skipped for a file that is there. */
  file: OutputFile | undefined;
  /** The frame of it that feeds, once that was taken. */
  frame?: OutputFile | undefined;
}

/** What a request is made with that other rows rendered; nothing where none feeds it. */
export function fedInputs({ feeders }: { feeders: readonly Feeder[] }): { inputs?: FedInput[] } {
  const inputs = feeders.flatMap(({ media, file }) => (file ? [{ row: media.id, sha256: file.sha256 }] : []));
  return inputs.length === 0 ? {} : { inputs };
}

/** What a record says that its row was made with, with the files, as far as those are still the ones that feed. */
export function fedFiles(feeders: readonly Feeder[], { inputs = [] }: RowRecord): FedFile[] {
  return inputs.map(({ row, sha256 }) => {
    const file = feeders.find((feeder) => feeder.media.id === row && feeder.file?.sha256 === sha256)?.file?.file;
    return { row, ...(file === undefined ? {} : { file }), sha256 };
  });
}

type Place = Pick<RowRef, 'batch' | 'generation'>;

/** In the order of the row's media. */
export async function feedersOf(sources: FeedSources, place: Place, row: Row): Promise<Feeder[]> {
  return Promise.all(fedMedia(row).map((media) => feederOf(sources, place, media)));
}

export async function feederOf(sources: FeedSources, { batch, generation }: Place, media: FedMedia): Promise<Feeder> {
  const place = await rowAt(sources.rows, batch, generation, media.at);
  const renderer = place?.stored.isDamaged ? undefined : place?.stored.row;
  const { row: feeding, record } = renderer ? await rendered(sources, batch, media, renderer) : NOTHING;
  const mayFeed = record?.status === 'done' || record?.status === 'skipped';
  const isOfRow = mayFeed && feeding !== undefined && isRecordOf(record, feeding.hash);
  return { media, row: feeding, record, file: isOfRow ? record.files[0] : undefined };
}

const NOTHING = { row: undefined, record: undefined };

/**
 * Of a row that shares the render of another: that one's, unless it was skipped: the file that is there is of neither. One
 * that was skipped itself feeds its own file.
 */
async function rendered(
  { records }: FeedSources,
  batch: string,
  { id }: FedMedia,
  renderer: Row,
): Promise<Pick<Feeder, 'row' | 'record'>> {
  const record = await records.readRecord(batch, renderer.id);
  if (renderer.id === id) return { row: renderer, record };
  const own = await records.readRecord(batch, id);
  const hasOwnFile = own?.status === 'skipped' && own.files.length > 0;
  const isOwn = record?.status === 'skipped' || hasOwnFile;
  return isOwn ? { row: { ...renderer, id }, record: own } : { row: renderer, record };
}

/**
 * With the files that a request was made with, as far as the records of those rows still tell of them: what feeds a row
 * may have been rendered again since, for other values too. Older builds did not note them: then what feeds it now counts.
 */
export async function feedersThen(
  sources: FeedSources,
  place: Place,
  row: Row,
  inputs: readonly FedInput[] | undefined,
): Promise<Feeder[]> {
  const feeders = await feedersOf(sources, place, row);
  if (inputs === undefined) return feeders;
  return feeders.map((feeder) => {
    const used = inputs.find((input) => input.row === feeder.media.id)?.sha256;
    const files = feeder.record === undefined ? [] : firstFiles(feeder.record);
    return { ...feeder, file: files.find(({ sha256 }) => sha256 === used) };
  });
}

/** What is being rendered again feeds nothing that has not begun. */
export function isReady(feeders: readonly Feeder[]): boolean {
  return feeders.every(({ file, record }) => file !== undefined && record?.rerunAtMs === undefined);
}

/** The row with the files that feed it in the places of its references; those that are not there yet stay. */
export function fedRow(row: Row, feeders: readonly Feeder[]): Row {
  if (feeders.length === 0) return row;
  const left = [...feeders];
  const media = Object.entries(row.media).map(([column, list]): [string, Media[]] => [
    column,
    list.map((item) => {
      const feeder = item.source === 'row' ? left.shift() : undefined;
      const given = item.source === 'row' && item.frame !== undefined ? feeder?.frame : feeder?.file;
      return given === undefined ? item : blobOf(given);
    }),
  ]);
  return withDriverLength({ ...row, media: Object.fromEntries(media) });
}

function blobOf({ sha256, contentType, bytes, durationSeconds }: OutputFile): Media {
  const length = durationSeconds === undefined ? {} : { seconds: durationSeconds };
  return { source: 'blob', sha256, mediaType: contentType, bytes, ...length };
}

/** A length that is cut a little short in the file's head is no second more. */
const SECONDS_SLACK = 0.1;

/**
 * What is declared of a driver clip that a row of the manifest renders: its real length, rounded up. Of a longer one than
 * can be declared the rest is charged later (service document 2, Motion control).
 */
function withDriverLength(row: Row): Row {
  const [clip] = row.media.video ?? [];
  const { driver } = factsOf(row.kind);
  if (driver === undefined || row.cells.input_video_seconds !== undefined) return row;
  if (clip?.source !== 'blob' || clip.seconds === undefined) return row;
  const seconds = Math.min(driver.declaredMax, Math.max(1, Math.ceil(clip.seconds - SECONDS_SLACK)));
  return { ...row, cells: { ...row.cells, input_video_seconds: seconds } };
}

/** What must be declared of a fed driver clip, and neither the row nor the file says. */
export function lacksDriverLength({ kind, cells }: Row): boolean {
  return factsOf(kind).driver !== undefined && cells.input_video_seconds === undefined;
}

export interface FeedsReader {
  /** What a row feeds. */
  of(index: number): Promise<readonly number[] | undefined>;
  /** What waits for a row: what it feeds, and then what shares its render. */
  waitingFor(index: number): Promise<readonly number[]>;
  ofPart(part: number): Promise<PartFeeds>;
}

/** Reads each part's document once. */
export function feedsReader(
  { home, rows }: Pick<AccountRecords, 'home' | 'rows'>,
  batch: string,
  generation: string,
): FeedsReader {
  const known = new Map<number, Promise<PartFeeds>>();
  const ofPart = (part: number): Promise<PartFeeds> => {
    const feeds = known.get(part) ?? readFeeds(home.store, home.keys.feeds(batch, generation, part));
    known.set(part, feeds);
    return feeds;
  };
  const besideRow = async (index: number): Promise<PartFeeds | undefined> => {
    const place = await rowAt(rows, batch, generation, index);
    return place && ofPart(place.part);
  };
  return {
    ofPart,
    of: async (index) => (await besideRow(index))?.fed.get(index),
    async waitingFor(index) {
      const { fed, sharing } = (await besideRow(index)) ?? {};
      return [...(fed?.get(index) ?? []), ...(sharing?.get(index) ?? [])];
    },
  };
}
