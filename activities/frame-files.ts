import type { OutputFile } from '../src/domain/outcome.js';
import type { FedMedia } from '../src/domain/row.js';
import { readFrame, writeFrame } from '../src/home/feeds.js';
import type { Home } from '../src/home/home.js';
import type { Store } from '../src/store/port.js';
import { takeFrame } from './film-frame.js';

/** Where frames lie that failed.csv names by their paths: beside the media of the batch. */
export interface FramePlace {
  home: Home;
  out: Store;
  batch: string;
}

/**
 * Keeps the frame of a film that feeds a row in the batch's folder; gives its name there, undefined where this machine
 * cannot take it.
 */
export async function frameFile(
  { home, out, batch }: FramePlace,
  { id, frame }: Required<Pick<FedMedia, 'id' | 'frame'>>,
  film: OutputFile,
): Promise<string | undefined> {
  const name = `frames/${id}-${frame}.png`;
  const known = await readFrame(home, film.sha256, frame);
  if (known !== undefined && (await out.stat(`${batch}/${name}`))?.sha256 === known.sha256) return name;
  const kept = known && (await home.getBlob(known.sha256));
  const png = kept ?? (await taken({ home, out, batch }, film, frame));
  if (png === undefined) return undefined;
  await out.put(`${batch}/${name}`, png);
  return name;
}

async function taken(
  { home, out, batch }: FramePlace,
  film: OutputFile,
  frame: Required<FedMedia>['frame'],
): Promise<Buffer | undefined> {
  const found = await takeFrame({ ...film, read: () => out.read(`${batch}/${film.file}`) }, frame);
  if (!('png' in found)) return undefined;
  await writeFrame(home, film.sha256, frame, found.png);
  return found.png;
}
