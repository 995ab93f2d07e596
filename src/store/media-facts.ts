import { defined } from '../domain/defined.js';
import { pixelsOf } from '../media/pixels.js';
import { readTracks } from '../media/tracks.js';
import type { MediaType } from './media-type.js';
import { wholenessOf, withByteReader } from './media-whole.js';
import type { PendingFile } from './port.js';

/** Opens a file as what it claims to be: its size in pixels and seconds, or why it cannot be one. */

/** What the container shows; absent where it does not, or where the store cannot open the file. */
export interface MediaFacts {
  width?: number;
  height?: number;
  durationSeconds?: number;
}

/** `truncated` = bytes are missing, `unreadable` = no such container, `no_track` = nothing to play. */
export type MediaProblem = 'truncated' | 'unreadable' | 'no_track';

/** `trailingBytes`: so many follow the end of a whole file. `isGivenUp`: nobody knows what it shows; it may be damaged. */
export type MediaReading = { facts: MediaFacts; trailingBytes?: number; isGivenUp?: true } | { problem: MediaProblem };

/** Constant memory: reads the head, the container's index and, where it must, single pieces of the file. */
export async function readMediaFacts(type: MediaType, file: PendingFile): Promise<MediaReading> {
  const whole = await withByteReader(file, (reader) => wholenessOf(type, reader));
  if (!whole.isWhole) return { problem: 'truncated' };
  const reading = await readByFamily(type, file);
  if (whole.trailingBytes === 0) return reading;
  // What follows the end can confuse a reader of the whole; the container itself is all there.
  const { trailingBytes } = whole;
  if ('facts' in reading) return { ...reading, trailingBytes };
  return reading.problem === 'unreadable' ? { facts: {}, trailingBytes } : reading;
}

async function readByFamily(type: MediaType, file: PendingFile): Promise<MediaReading> {
  switch (type.family) {
    case 'image':
      return readImage(file);
    case 'video':
    case 'audio':
      return await readFilm(file);
    case 'json':
      return readJsonText(file);
  }
}

function readImage(file: PendingFile): MediaReading {
  try {
    const { width, height } = pixelsOf(file.head);
    return width > 0 && height > 0 ? { facts: { width, height } } : { problem: 'unreadable' };
  } catch {
    // A long preview can push the size out of the head: that alone is no fault.
    return file.bytes > file.head.length ? { facts: {} } : { problem: 'unreadable' };
  }
}

async function readFilm(file: PendingFile): Promise<MediaReading> {
  const isInHead = file.head.length >= file.bytes;
  const source = isInHead ? file.head : file.localPath;
  if (source === undefined) return { facts: {} };
  const tracks = await readTracks({ file: source, length: 'said' });
  if (tracks === 'none') return { problem: 'no_track' };
  if (tracks === 'unreadable') return { problem: 'unreadable' };
  if (tracks === 'unknown') return { facts: {}, isGivenUp: true };
  const { seconds, ...size } = tracks;
  return { facts: { ...size, ...defined({ durationSeconds: seconds }) } };
}

function readJsonText(file: PendingFile): MediaReading {
  if (file.bytes > file.head.length) return { facts: {} };
  try {
    JSON.parse(Buffer.from(file.head).toString('utf8'));
    return { facts: {} };
  } catch {
    return { problem: 'unreadable' };
  }
}
