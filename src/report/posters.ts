import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OutputFile } from '../domain/outcome.js';
import { isS3Address } from '../domain/s3.js';
import { errorCode } from '../store/folder-errors.js';
import { makePassingFolder } from '../store/passing.js';
import { isNoFile, type Store, StoreError } from '../store/port.js';

/** A small picture of an output, as it stands inside a page. */
export interface Poster {
  contentType: string;
  bytes: Buffer;
}

export interface PosterAsked {
  key: string;
  file: OutputFile;
}

export interface Posters {
  /**
   * One for each that is asked, in order; undefined where none can be made: an output without a picture, a damaged file,
   * a machine without ffmpeg, no time left (`untilMs`, as `performance.now` counts).
   */
  postersOf(store: Store, asked: readonly PosterAsked[], untilMs: number): Promise<(Poster | undefined)[]>;
}

/** A picture so small stands in the page as it is. */
const WHOLE_BYTES_MAX = 6_000;
const POSTER_BYTES_MAX = 12_000;
/** What is fetched from a bucket for one poster. */
const FETCHED_BYTES_MAX = 256 * 1024 ** 2;
const FFMPEG_TIME_MAX_MS = 15_000;
const KEPT_MAX = 400;
const WIDTH = 176;

/** Content type → the one demuxer that may read it: an output cannot name other files or hosts to be read. */
const DEMUXERS: Record<string, string> = {
  'image/png': 'png_pipe',
  'image/jpeg': 'jpeg_pipe',
  'image/webp': 'webp_pipe',
  'image/gif': 'gif',
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
};

/** Makes posters with ffmpeg where it is installed, and keeps the last ones: an output never changes. */
export function createPosters(ffmpeg = 'ffmpeg'): Posters {
  const kept = new Map<string, Poster | undefined>();
  let isMissing = false;
  return { postersOf };

  async function postersOf(
    store: Store,
    asked: readonly PosterAsked[],
    untilMs: number,
  ): Promise<(Poster | undefined)[]> {
    const made = new Map<string, Poster | undefined>();
    for (const { key, file } of asked) {
      const isKept = kept.has(file.sha256);
      const known = isKept ? kept.get(file.sha256) : await wholePicture(store, key, file).catch(noneWithoutFile);
      if (isKept || known !== undefined) made.set(file.sha256, known ?? undefined);
    }
    const left = asked.filter(({ file }) => !made.has(file.sha256) && DEMUXERS[file.contentType] !== undefined);
    if (left.length > 0 && !isMissing) {
      for (const [sha256, poster] of await framesOf(store, left, untilMs)) made.set(sha256, poster);
    }
    for (const [sha256, poster] of made) if (!kept.has(sha256)) keep(sha256, poster);
    return asked.map(({ file }) => made.get(file.sha256));
  }

  function keep(sha256: string, poster: Poster | undefined): void {
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
    kept.set(sha256, poster);
  }

  /** Most of what a frame costs is the start of ffmpeg: one makes them all, and each alone where a file stops it. */
  async function framesOf(store: Store, asked: readonly PosterAsked[], untilMs: number): Promise<Frames> {
    const frames: Frames = new Map();
    const folder = await makePassingFolder('poster').catch(() => undefined);
    if (folder === undefined) return frames; // Without room for posters the page has tiles.
    try {
      const films: Film[] = [];
      for (const { key, file } of asked) {
        const path = await localFile(store, key, file, join(folder, `output-${films.length}`)).catch(noneWithoutFile);
        if (path) films.push({ path, file, poster: join(folder, `poster-${films.length}`) });
        else frames.set(file.sha256, undefined);
      }
      if (films.length > 1 && (await takeFrames(films, frames))) return frames;
      for (const film of films) if (!isMissing && performance.now() < untilMs) await takeFrames([film], frames);
      return frames;
    } catch (error) {
      // Full, read-only or cleared meanwhile by another program: such a folder takes no picture, and the page does without.
      if (error instanceof StoreError || errorCode(error) === undefined) throw error;
      return frames;
    } finally {
      // What cannot be removed now goes with what killed processes left.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Whether all of them could be read; what cannot be read alone has no frame. */
  async function takeFrames(films: readonly Film[], frames: Frames): Promise<boolean> {
    const ended = await runFfmpeg(ffmpeg, films);
    isMissing ||= ended === 'missing';
    if (ended !== 'done' && films.length > 1) return false;
    for (const film of films) frames.set(film.file.sha256, ended === 'done' ? await readPoster(film) : undefined);
    return true;
  }
}

/** By the sha256 of the output. */
type Frames = Map<string, Poster | undefined>;

/** What is no file has no picture; a store that does not answer may have one. */
function noneWithoutFile(error: unknown): null {
  if (!isNoFile(error)) throw error;
  return null;
}

async function wholePicture(store: Store, key: string, file: OutputFile): Promise<Poster | undefined> {
  const { contentType } = file;
  if (!['image/png', 'image/jpeg', 'image/webp', 'image/gif'].includes(contentType)) return undefined;
  if (file.bytes > WHOLE_BYTES_MAX) return undefined;
  const bytes = await store.get(key);
  return bytes && { contentType, bytes: Buffer.from(bytes) };
}

/** A file of a folder is read where it is, one of a bucket is fetched to `path`. */
async function localFile(store: Store, key: string, file: OutputFile, path: string): Promise<string | undefined> {
  if (!isS3Address(store.location)) return join(store.location, key);
  const source = file.bytes > FETCHED_BYTES_MAX ? undefined : await store.read(key);
  if (source === undefined) return undefined;
  await pipeline(Readable.from(source), createWriteStream(path, { mode: 0o600 }));
  return path;
}

/** A picture or film on this disk, and where its poster is to be. */
interface Film {
  path: string;
  file: OutputFile;
  poster: string;
}

async function readPoster({ poster }: Film): Promise<Poster | undefined> {
  const bytes = await readFile(poster).catch(() => undefined);
  if (bytes === undefined || bytes.length === 0 || bytes.length > POSTER_BYTES_MAX) return undefined;
  return { contentType: 'image/jpeg', bytes };
}

/** `missing`: there is no ffmpeg. One file that it cannot read fails all of them. */
async function runFfmpeg(ffmpeg: string, films: readonly Film[]): Promise<'done' | 'failed' | 'missing'> {
  const inputs = films.flatMap(({ path, file: { contentType, durationSeconds = 0 } }) => {
    // The first frame of a film is often black.
    const seek = contentType.startsWith('video/') ? ['-ss', String(Math.min(durationSeconds / 3, 60))] : [];
    const only = ['-protocol_whitelist', 'file', '-f', DEMUXERS[contentType] ?? ''];
    return ['-threads', '1', ...seek, ...only, '-i', `file:${path}`];
  });
  const picture = ['-an', '-frames:v', '1', '-vf', `scale=${WIDTH}:-2`, '-q:v', '7', '-threads', '1', '-f', 'mjpeg'];
  const outputs = films.flatMap(({ poster }, i) => ['-map', `${i}:V:0`, ...picture, poster]);
  const args = ['-v', 'error', '-nostdin', '-y', ...inputs, ...outputs];
  // Nothing of this process's environment, the key above all, is handed to it.
  const child = spawn(ffmpeg, args, { stdio: 'ignore', env: { PATH: process.env.PATH }, timeout: FFMPEG_TIME_MAX_MS });
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ENOENT' ? 'missing' : 'failed'));
    child.on('close', (code) => resolve(code === 0 ? 'done' : 'failed'));
  });
}
