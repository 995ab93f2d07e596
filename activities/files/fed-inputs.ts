import type { InputRefused } from '../../src/contract/pages.js';
import type { MediaFacts } from '../../src/domain/media-type.js';
import type { OutputFile, RowRecord } from '../../src/domain/outcome.js';
import type { Frame } from '../../src/domain/row.js';
import { type Feeder, isReady, lacksDriverLength } from '../../src/home/feeders.js';
import { readFrame, writeFrame } from '../../src/home/feeds.js';
import { endOfFeeder } from '../../src/home/upstream.js';
import { probeMedia } from '../../src/manifest/media/probe-media.js';
import { fedFlaw } from '../../src/manifest/references/feed-flaw.js';
import { readAsItLies, StoreError } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';
import { takeFrame } from './film-frame.js';
import { type InputWork, together } from './input-urls.js';

/**
 * Copies what other rows rendered for this one into the home, once per content, and takes the frames of films that feed
 * it: nothing is sent for a row before the files that feed it are whole and the ones that were recorded.
 */
export async function takeFedInputs(deps: Dependencies, work: InputWork): Promise<InputRefused | undefined> {
  const { feeders, batch, options } = work;
  if (feeders.length === 0) return undefined;
  if (feeders.some(({ file }) => file === undefined)) {
    // It had its file when the row was begun.
    const end = feeders.map(endOfFeeder).find((one) => one !== undefined);
    return { reason: end?.endedFor ?? 'upstream_failed', text: end?.endedText ?? `waits for ${waitsFor(feeders)}` };
  }
  const again = feeders.find((feeder) => !isReady([feeder]));
  if (again !== undefined) {
    // Nothing is paid for a file that is being replaced: the row is begun anew once that render has ended.
    return { reason: 'upstream_failed', text: `row ${again.media.id}, which feeds it, is being rendered again` };
  }
  const waitsInVain = await failedFirst(deps, work);
  if (waitsInVain !== undefined) {
    return { reason: 'upstream_failed', text: `row ${waitsInVain}, which feeds it, was to be rendered again first` };
  }
  for (const feeder of feeders) {
    const { media, file } = feeder;
    if (file === undefined) continue;
    const problem = await keep(deps, `${batch}/${file.file}`, options.out, file);
    if (problem !== undefined) return { reason: 'input_changed', text: `${file.file} of row ${media.id} ${problem}` };
    await noteLength(deps, batch, feeder);
    const flaw = media.frame && (await keepFrame(deps, file, media.frame));
    if (flaw !== undefined) return { reason: 'input_unfit', text: `${file.file} of row ${media.id}: ${flaw}` };
  }
  return undefined;
}

const NO_LENGTH = 'how long it is cannot be read in it: with a number in input_video_seconds the row can run';

/** Whether what feeds a row is within the limits of its columns, and shows what must be declared of it. */
export async function unfitInputs(deps: Dependencies, work: InputWork): Promise<InputRefused | undefined> {
  const { feeders, row } = work;
  if (feeders.length === 0) return undefined;
  const flaw = fedFlaw(row, await factsOf(deps, work)) ?? (lacksDriverLength(row) ? NO_LENGTH : undefined);
  return flaw === undefined ? undefined : { reason: 'input_unfit', text: `${namesOf(feeders)}: ${flaw}` };
}

/** The feeder whose new render the row was to be rendered again for, where that one has not come. */
async function failedFirst({ records }: Dependencies, { row, feeders, batch }: InputWork): Promise<string | undefined> {
  const { rerunAtMs, rerunWith = [] } = (await records.readRecord(batch, row.id)) ?? {};
  if (rerunAtMs === undefined) return undefined;
  // By the order itself first: the clock of the machine that gave it may be ahead of the worker's.
  const isMeant = ({ id, finishedAtMs }: RowRecord): boolean => rerunWith.includes(id) || finishedAtMs >= rerunAtMs;
  const failed = feeders.find(({ record }) => record?.flags.includes('rerun_failed') === true && isMeant(record));
  return failed?.media.id;
}

/** What is wrong with the file at its place. */
async function keep(deps: Dependencies, key: string, out: string, { sha256 }: OutputFile): Promise<string | undefined> {
  const store = deps.openStore(out);
  const held = await store.stat(key);
  if (held === undefined) return 'is gone';
  if (held.sha256 !== sha256) return 'is not the file that was rendered';
  try {
    await together(deps, `fed-${sha256}`, async () => {
      if (await deps.home.hasBlob(sha256, held.bytes)) return;
      const source = await readAsItLies(store, key, held);
      if (source === undefined) throw new StoreError('CHANGED', 'the file went away meanwhile', key);
      await deps.home.putBlobStream(source, sha256, `fed-${sha256}`);
    });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CHANGED') throw error;
    return 'is not the file that was rendered';
  }
  return undefined;
}

/**
 * Says in its record how long a film is that feeds, where that is not known yet: of one that was taken as it lies in a
 * bucket the head alone was read. Price, claim and request go by the record.
 */
async function noteLength({ home, records }: Dependencies, batch: string, feeder: Feeder): Promise<void> {
  const { media, record, file } = feeder;
  if (record === undefined || file?.contentType.startsWith('video/') !== true) return;
  if (media.frame !== undefined || file.durationSeconds !== undefined) return;
  const bytes = await home.getBlob(file.sha256);
  const seconds = bytes && (await probeMedia(Buffer.from(bytes))).seconds;
  if (seconds === undefined) return;
  await records.changeRecord(batch, record.id, (now) => {
    const [first, ...others] = now?.files ?? [];
    if (now === undefined || first?.sha256 !== file.sha256) return undefined;
    return { ...now, files: [{ ...first, durationSeconds: seconds }, ...others] };
  });
}

/** Why a film gives no frame. Rows that take the same one have it taken once. */
async function keepFrame(deps: Dependencies, film: OutputFile, frame: Frame): Promise<string | undefined> {
  try {
    await together(deps, `frame-${film.sha256}-${frame}`, () => writeNewFrame(deps, film, frame));
  } catch (error) {
    if (!(error instanceof NoFrame)) throw error;
    return error.message;
  }
  return undefined;
}

async function writeNewFrame({ home }: Dependencies, film: OutputFile, frame: Frame): Promise<void> {
  const known = await readFrame(home, film.sha256, frame);
  if (known !== undefined && (await home.hasBlob(known.sha256))) return;
  const taken = await takeFrame({ ...film, read: () => home.readBlob(film.sha256) }, frame);
  if ('problem' in taken) throw new NoFrame(taken.problem);
  if ('missing' in taken) throw new FfmpegMissing();
  if ('stopped' in taken) throw new FrameStopped(film.file, frame, taken.stopped);
  await writeFrame(home, film.sha256, frame, taken.png);
}

/** The film itself gives no frame. */
class NoFrame extends Error {
  override readonly name = 'NoFrame';
}

/** ffmpeg was ended before it had the frame: by its time, or by a machine in trouble. */
export class FrameStopped extends Error {
  override readonly name = 'FrameStopped';
  constructor(file: string, frame: Frame, how: string) {
    super(`${file}: ffmpeg was ended (${how}) before it had the ${frame} frame`);
  }
}

/** This worker cannot take frames; another one of the account may. */
export class FfmpegMissing extends Error {
  override readonly name = 'FfmpegMissing';
}

/** What the fed bytes show, in the places of the references. */
async function factsOf(
  deps: Dependencies,
  { row, feeders }: InputWork,
): Promise<Map<string, (MediaFacts | undefined)[]>> {
  const fed = new Set(feeders.flatMap(({ file, frame }) => (frame ?? file)?.sha256 ?? []));
  const facts = new Map<string, (MediaFacts | undefined)[]>();
  for (const [column, list] of Object.entries(row.media)) {
    const shown: (MediaFacts | undefined)[] = [];
    for (const item of list) {
      const bytes = item.source === 'blob' && fed.has(item.sha256) ? await deps.home.getBlob(item.sha256) : undefined;
      shown.push(bytes && (await probeMedia(Buffer.from(bytes))));
    }
    facts.set(column, shown);
  }
  return facts;
}

function waitsFor(feeders: readonly Feeder[]): string {
  return feeders.flatMap(({ media, file }) => (file === undefined ? [`row ${media.id}`] : [])).join(', ');
}

function namesOf(feeders: readonly Feeder[]): string {
  return [...new Set(feeders.map(({ media, file }) => `${file?.file} of row ${media.id}`))].join(', ');
}
