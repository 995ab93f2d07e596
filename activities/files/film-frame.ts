import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OutputFile } from '../../src/domain/outcome.js';
import type { FedMedia, Frame } from '../../src/domain/row.js';
import { readFrame, writeFrame } from '../../src/home/feeds.js';
import type { Home } from '../../src/home/home.js';
import { toStoreError } from '../../src/store/folder-errors.js';
import { makePassingFolder, passingFolder } from '../../src/store/passing.js';
import type { Store } from '../../src/store/port.js';

/** Frames of films, by ffmpeg where it is installed: out of a local copy, without network, within bounds. */

/** Content type → the one demuxer that may read it: a film cannot name other files or hosts to be read. */
const DEMUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
};
const FILM_BYTES_MAX = 1024 ** 3;
const TIME_MAX_MS = 60_000;
/** The last frame is looked for from so far before the end. */
const TAIL_SECONDS = 2;
/** The system's words, as ffmpeg says them without a language set. */
const DISK_FULL = /No space left on device|Disk quota exceeded/;
const SAID_CHARS = 2_000;

/** What a program ends with that was told to: ffmpeg writes what it has, and ends by itself. */
const TOLD_TO_END = 255;

/**
 * `missing`: there is no ffmpeg here. `stopped`: what ended it, which says nothing of the film. `problem`: why the film
 * gives no frame, for a person.
 */
export type TakenFrame = { png: Buffer } | { missing: true } | { stopped: string } | { problem: string };

export interface Film {
  contentType: string;
  bytes: number;
  read(): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Throws a StoreError where this machine has no room for a copy of the film. */
export async function takeFrame(film: Film, frame: Frame): Promise<TakenFrame> {
  const demuxer = DEMUXERS[film.contentType];
  if (demuxer === undefined) return { problem: `frames are not taken from ${film.contentType}` };
  if (film.bytes > FILM_BYTES_MAX) return { problem: 'frames are taken from films up to 1 GiB' };
  const source = await film.read();
  if (source === undefined) return { problem: 'the film is gone' };
  return frameOf(source, demuxer, frame).catch((error: unknown) => {
    throw toStoreError(error, 'write', '', passingFolder());
  });
}

async function frameOf(source: AsyncIterable<Uint8Array>, demuxer: string, frame: Frame): Promise<TakenFrame> {
  const folder = await makePassingFolder('frame');
  try {
    const [path, png] = [join(folder, 'film'), join(folder, 'frame.png')];
    await pipeline(Readable.from(source), createWriteStream(path, { mode: 0o600 }));
    const ended = await runFfmpeg(demuxer, path, png, frame);
    if (typeof ended === 'object') return ended;
    if (ended === 'missing') return { missing: true };
    if (ended === 'full') throw Object.assign(new Error('no room for the frame'), { code: 'ENOSPC' });
    const bytes = ended === 'done' ? await readFile(png).catch(() => undefined) : undefined;
    return bytes && bytes.length > 0 ? { png: bytes } : { problem: `ffmpeg finds no ${frame} frame in it` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let isInstalled: boolean | undefined;

/** Whether this machine has ffmpeg; looked up once. */
export function hasFfmpeg(): boolean {
  isInstalled ??= spawnSync('ffmpeg', ['-version'], { stdio: 'ignore', env: pathOnly() }).status === 0;
  return isInstalled;
}

/** `full`: the disk took no frame, which says nothing of the film either. */
type Ended = 'done' | 'failed' | 'missing' | 'full' | { stopped: string };

function runFfmpeg(demuxer: string, path: string, png: string, frame: Frame): Promise<Ended> {
  const seek = frame === 'last' ? ['-sseof', String(-TAIL_SECONDS)] : [];
  const input = ['-protocol_whitelist', 'file,pipe', '-f', demuxer, '-i', `file:${path}`];
  // Each later frame replaces the one before; of the first one alone there is no later.
  const count = frame === 'first' ? ['-frames:v', '1'] : [];
  const output = ['-an', '-sn', '-dn', '-map', '0:v:0', ...count, '-update', '1', '-c:v', 'png', '-f', 'image2', png];
  const args = ['-v', 'error', '-nostdin', '-y', '-threads', '1', ...seek, ...input, ...output];
  const child = spawn('ffmpeg', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: pathOnly(),
    timeout: TIME_MAX_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said = `${said}${bytes}`.slice(-SAID_CHARS);
  });
  return new Promise((resolve) => {
    child.on('error', ({ code = 'no start' }: NodeJS.ErrnoException) =>
      resolve(code === 'ENOENT' ? 'missing' : { stopped: code }),
    );
    child.on('close', (code, signal) => {
      if (code === 0) resolve('done');
      else if (DISK_FULL.test(said)) resolve('full');
      else if (child.killed) resolve({ stopped: `after ${TIME_MAX_MS / 1_000} s` });
      else if (signal !== null || code === TOLD_TO_END) resolve({ stopped: signal ?? `exit code ${code}` });
      else resolve('failed');
    });
  });
}

/** Nothing else of this process's environment, the key above all, is handed to it. */
function pathOnly(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH };
}

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
