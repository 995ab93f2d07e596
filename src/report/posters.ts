import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OutputFile } from '../domain/outcome.js';
import { isS3Address } from '../domain/s3.js';
import { isNoFile, type Store } from '../store/port.js';

/** A small picture of an output, as it stands inside a page. */
export interface Poster {
  contentType: string;
  bytes: Buffer;
}

export interface Posters {
  /** Undefined where none can be made: an output without a picture, a damaged file, a machine without ffmpeg. */
  posterOf(store: Store, key: string, file: OutputFile): Promise<Poster | undefined>;
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
  const make = async (store: Store, key: string, file: OutputFile): Promise<Poster | undefined> => {
    const whole = await wholePicture(store, key, file);
    if (whole !== undefined || isMissing || DEMUXERS[file.contentType] === undefined) return whole;
    return withLocalFile(store, key, file, async (path) => {
      const bytes = await runFfmpeg(ffmpeg, path, file);
      isMissing ||= bytes === 'missing';
      return bytes instanceof Buffer ? { contentType: 'image/jpeg', bytes } : undefined;
    });
  };
  return {
    posterOf: async (store, key, file) => {
      if (kept.has(file.sha256)) return kept.get(file.sha256);
      const poster = await make(store, key, file).catch(unlessFile);
      if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
      kept.set(file.sha256, poster);
      return poster;
    },
  };
}

/** What is no file has no picture; a store that does not answer may have one. */
function unlessFile(error: unknown): undefined {
  if (!isNoFile(error)) throw error;
  return undefined;
}

async function wholePicture(store: Store, key: string, file: OutputFile): Promise<Poster | undefined> {
  const { contentType } = file;
  if (!['image/png', 'image/jpeg', 'image/webp', 'image/gif'].includes(contentType)) return undefined;
  if (file.bytes > WHOLE_BYTES_MAX) return undefined;
  const bytes = await store.get(key);
  return bytes && { contentType, bytes: Buffer.from(bytes) };
}

/** A file of a folder is read where it is, one of a bucket is fetched for the moment. */
async function withLocalFile<T>(
  store: Store,
  key: string,
  { bytes }: OutputFile,
  use: (path: string) => Promise<T>,
): Promise<T | undefined> {
  if (!isS3Address(store.location)) return use(join(store.location, key));
  const source = bytes > FETCHED_BYTES_MAX ? undefined : await store.read(key);
  if (source === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-poster-'));
  try {
    const path = join(folder, 'output');
    await pipeline(Readable.from(source), createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bytes of a JPEG; `missing` where there is no ffmpeg. A file that it cannot read has no poster. */
function runFfmpeg(
  ffmpeg: string,
  path: string,
  { contentType, durationSeconds = 0 }: OutputFile,
): Promise<Buffer | 'missing' | undefined> {
  const input = ['-protocol_whitelist', 'file', '-f', DEMUXERS[contentType] ?? '', '-i', `file:${path}`];
  // The first frame of a film is often black.
  const seek = contentType.startsWith('video/') ? ['-ss', String(Math.min(durationSeconds / 3, 60))] : [];
  const output = ['-an', '-frames:v', '1', '-vf', `scale=${WIDTH}:-2`, '-q:v', '7', '-f', 'mjpeg', 'pipe:1'];
  const args = ['-v', 'error', '-nostdin', '-threads', '1', ...seek, ...input, ...output];
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  // Nothing of this process's environment, the key above all, is handed to it.
  const child = spawn(ffmpeg, args, { stdio, env: { PATH: process.env.PATH }, timeout: FFMPEG_TIME_MAX_MS });
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > POSTER_BYTES_MAX) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ENOENT' ? 'missing' : undefined));
    child.on('close', (code) => resolve(code === 0 && length > 0 ? Buffer.concat(chunks) : undefined));
  });
}
