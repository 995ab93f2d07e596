import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../package-root.js';

/**
 * What the tracks of a film or a sound show. A damaged file can lead the library that opens it into a loop without end, or
 * let it take all memory: it runs in a thread of its own, which is ended then.
 */

/** `none` = nothing to play, `unreadable` = no such container, `unknown` = it was given up. */
export type Tracks = TrackFacts | 'none' | 'unreadable' | 'unknown';

export interface TrackFacts {
  width?: number;
  height?: number;
  seconds?: number;
}

export interface TracksAsked {
  /** A path, or the bytes. */
  file: string | Uint8Array;
  /** By the container's word where it has one, or counted over the tracks. */
  length: 'said' | 'counted';
}

/** An index of hours of film is read in less than a second; a machine may be busy. */
const GIVE_UP_MS = 10_000;
/** The index of a day of film fits. */
const MEMORY_MB = 512;
const PROGRAM = join(packageRoot, 'dist', 'src', 'media', 'tracks-thread.js');

let thread: Worker | undefined;
let hear: ((answer: Tracks | Error | undefined) => void) | undefined;
/** One file at a time: what becomes of the thread is then known to be of that one. */
let turn: Promise<unknown> = Promise.resolve();

/** Never throws for strange bytes. */
export function readTracks(asked: TracksAsked): Promise<Tracks> {
  const tracks = turn.then(() => ask(asked));
  turn = tracks.catch(() => undefined);
  return tracks;
}

async function ask(asked: TracksAsked): Promise<Tracks> {
  const isFresh = thread === undefined;
  thread ??= startThread();
  const tracks = await answerOf(thread, asked);
  if (tracks !== undefined) return tracks;
  // An earlier file may have left a loop behind.
  return isFresh ? 'unknown' : ask(asked);
}

function startThread(): Worker {
  const started = new Worker(PROGRAM, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  const tell = (answer: Tracks | Error | undefined): void => {
    if (thread === started) hear?.(answer);
  };
  started.on('message', tell);
  // Between two files too: an error that nobody listens for would end the process.
  started.on('error', (error: NodeJS.ErrnoException) => {
    tell(error.code?.endsWith('MODULE_NOT_FOUND') === true ? error : undefined);
  });
  started.on('exit', () => {
    tell(undefined);
    if (thread === started) thread = undefined;
  });
  return started;
}

/** Undefined once the thread was given up. Throws where its program cannot be loaded. */
async function answerOf(asking: Worker, asked: TracksAsked): Promise<Tracks | undefined> {
  // It keeps its process alive for as long as somebody waits.
  asking.ref();
  let timer: NodeJS.Timeout | undefined;
  const answer = await new Promise<Tracks | Error | undefined>((resolve) => {
    hear = resolve;
    timer = setTimeout(() => resolve(undefined), GIVE_UP_MS);
    asking.postMessage(asked);
  });
  clearTimeout(timer);
  hear = undefined;
  if (answer instanceof Error) throw answer;
  if (answer === undefined) {
    thread = undefined;
    await asking.terminate();
  } else asking.unref();
  return answer;
}
