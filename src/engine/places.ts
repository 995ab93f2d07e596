/** Where an engine keeps its things: everything is in its data folder, but a socket whose path would be too long. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { packageRoot } from '../package-root.js';
import { EngineError } from './engine-error.js';

export interface EnginePlaces {
  /** The data folder, without symbolic links: two spellings of it are one engine. */
  dataFolder: string;
  /** Who runs: written by the supervisor. */
  record: string;
  /** Held by the supervisor while it lives. */
  lock: string;
  socket: string;
  /** There while the engine was ended by order. */
  stopMark: string;
  logs: EngineLogs;
}

export interface EngineLogs {
  engine: string;
  server: string;
  worker: string;
}

/** A Unix socket's address has room for 104 bytes on macOS and 108 on Linux, the closing zero included. */
const socketBytesMax = 100;

/** Makes the data folder if it is not there and says where everything in it is. */
export function enginePlaces(dataFolder: string): EnginePlaces {
  const logs = join(dataFolder, 'logs');
  try {
    makeFolders(logs);
  } catch (cause) {
    throw new EngineError('bad_folder', `the data folder ${dataFolder} cannot be used: choose another with --data`, {
      cause,
    });
  }
  const folder = realpathSync(dataFolder);
  return {
    dataFolder: folder,
    record: join(folder, 'engine.json'),
    lock: join(folder, 'engine.lock'),
    socket: socketPath(folder),
    stopMark: join(folder, 'engine.stopped'),
    logs: { engine: join(logs, 'engine.log'), server: join(logs, 'server.log'), worker: join(logs, 'worker.log') },
  };
}

/** Where state goes when nobody says: in the clone that callsheet runs from, else in the user's state folder. */
export function defaultDataFolder(): string {
  if (existsSync(join(packageRoot, '.git'))) return join(packageRoot, '.callsheet');
  const paths = envPaths('callsheet', { suffix: '' });
  // On Linux this is XDG_STATE_HOME; elsewhere the folder for logs is no place for a ledger.
  return process.platform === 'linux' ? paths.log : paths.data;
}

function socketPath(dataFolder: string): string {
  const inside = join(dataFolder, 'engine.sock');
  if (Buffer.byteLength(inside) <= socketBytesMax) return inside;
  const name = `${createHash('sha256').update(dataFolder).digest('hex').slice(0, 16)}.sock`;
  const paths = [tmpdir(), '/tmp'].map((parent) => join(parent, `callsheet-${userId()}`, name));
  const path = paths.find((one) => Buffer.byteLength(one) <= socketBytesMax);
  if (path === undefined)
    throw new EngineError('bad_folder', 'no folder is short enough for the control socket: set TMPDIR');
  makePrivate(join(path, '..'));
  return path;
}

/** Node's own way to make a folder with those above it never comes back where a parent takes none, as `/proc`. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
}

/** Others can write where temporary files are kept: the folder must be ours alone. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== userId() || (stat.mode & 0o077) !== 0) {
    throw new EngineError('bad_folder', `${folder} must be a folder of yours that nobody else can enter: remove it`);
  }
}

function userId(): number {
  return process.getuid?.() ?? 0;
}

/** Where the supervisor says what happens. */
export interface EngineLog {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
}

const logBytesMax = 10_000_000;

/** Opens a log for appending; one that has grown too large becomes `….1` first. */
export function openLog(path: string): { fd: number; close(): void } {
  try {
    if (statSync(path).size > logBytesMax) renameSync(path, `${path}.1`);
  } catch {
    // There is none yet.
  }
  const fd = openSync(path, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/** The last lines of a log, for an error message. */
export function lastLines(path: string, count: number): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
