import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { withoutOurs } from '../domain/secret.js';
import { packageRoot } from '../package-root.js';

/**
 * What the tracks of a film or a sound show. A damaged file can lead the library that opens it into a loop without end, or
 * let it take all memory: it runs in a process of its own, which is ended then.
 */

/** `none` = nothing to play, `unreadable` = no such container, `unknown` = it was given up. */
export type Tracks = TrackFacts | 'none' | 'unreadable' | 'unknown';

export interface TrackFacts {
  /** Of the picture; absent where only the length was asked for. */
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

/** What the process tells: what it was asked for, and that it can be asked. */
export type TracksTold = Tracks | 'ready';

/** The index of hours of film is read in less than a second; a machine may be busy. */
const GIVE_UP_MS = 10_000;
/** One that is damaged can ask for any number of them. */
const MEMORY_MB = 512;
const IDLE_MS = 60_000;
const PROGRAM = join(packageRoot, 'dist', 'src', 'media', 'tracks-main.js');

interface Reader {
  child: ChildProcess;
  /** The next thing that it tells; undefined where it ends, or is ended for its silence of so many ms. */
  next(silentMs?: number): Promise<TracksTold | undefined>;
}

let reader: Reader | undefined;
let idle: NodeJS.Timeout | undefined;
/** One file at a time: what becomes of the process is then known to be of that one. */
let turn: Promise<unknown> = Promise.resolve();

/** Never throws: whoever asks may have paid for the file, and keeps it. */
export function readTracks(asked: TracksAsked): Promise<Tracks> {
  const tracks = turn.then(() => ask(asked)).catch((): Tracks => 'unknown');
  turn = tracks;
  return tracks;
}

async function ask(asked: TracksAsked): Promise<Tracks> {
  const { child, next } = await readyReader();
  child.send(asked, () => undefined);
  const told = await next(GIVE_UP_MS);
  if (told === undefined || told === 'ready') return 'unknown';
  child.unref();
  child.channel?.unref();
  idle = setTimeout(end, IDLE_MS, child).unref();
  return told;
}

/** One that waits for its next file: an earlier one may have left a loop behind. */
async function readyReader(): Promise<Reader> {
  clearTimeout(idle);
  if (reader !== undefined) {
    hold(reader.child);
    if ((await reader.next(GIVE_UP_MS)) === 'ready') return reader;
  }
  const fresh = startReader();
  reader = fresh;
  if ((await fresh.next()) !== 'ready') throw new Error(`${PROGRAM} does not start`);
  return fresh;
}

function startReader(): Reader {
  const child = fork(PROGRAM, [], {
    execArgv: [`--max-old-space-size=${MEMORY_MB}`],
    env: withoutOurs(process.env),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const told: TracksTold[] = [];
  let isOver = false;
  let hear = (): void => undefined;
  child.on('message', (one: TracksTold) => {
    told.push(one);
    hear();
  });
  const over = (): void => {
    isOver = true;
    forget(child);
    hear();
  };
  child.on('error', over).on('exit', over);
  return {
    child,
    async next(silentMs) {
      const timer = silentMs === undefined ? undefined : setTimeout(end, silentMs, child);
      while (told.length === 0 && !isOver) await new Promise<void>((resolve) => (hear = resolve));
      clearTimeout(timer);
      return told.shift();
    },
  };
}

/** It keeps this process alive for as long as somebody waits. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function end(child: ChildProcess): void {
  // At once: it would still be asked until it is gone.
  forget(child);
  child.kill('SIGKILL');
}

function forget(child: ChildProcess): void {
  if (reader?.child === child) reader = undefined;
}
