import * as disk from 'node:fs';
import * as pool from 'node:fs/promises';
import { promisify } from 'node:util';
import { noFile } from './folder-errors.js';

/** A store's folder, and what is known of it. */
export interface Folder {
  /** Absolute, as the user gave it. */
  location: string;
  fileMode: number;
  folderMode: number;
  /** Real paths of folders whose entry is known to be durable. */
  durable: Set<string>;
  /** A home on a disk of this machine; undefined while it is not there. */
  isNear?: boolean | undefined;
  /** How many calls were made without a thread. */
  calls?: number;
  /** The root's real path as it was last seen: only what lies elsewhere makes it be looked up again. */
  root?: string;
}

/** The calls to the file system by which a folder store looks and writes. */
export interface FolderCalls {
  realPath(path: string): Promise<string>;
  entries(path: string): Promise<disk.Dirent[]>;
  /** A whole small file; undefined where it is to be read in another way. */
  readSmall(path: string): Promise<Uint8Array | undefined>;
  open(path: string, flags: 'wx' | 'r', mode?: number): Promise<Pick<pool.FileHandle, 'writeFile' | 'sync' | 'close'>>;
  makeFolder(path: string, mode: number): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** How a file is opened to be read: no link is followed, and no pipe waits for its writer. */
export const TO_READ = (disk.constants.O_NOFOLLOW ?? 0) | (disk.constants.O_NONBLOCK ?? 0);

/** The sorts of file systems, by their numbers of statfs(2): ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS. */
const NEAR = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010]);
const SMALL_MAX = 65_536;
/** After so many calls without a thread others get their turn. */
const IN_A_ROW = 32;

/**
 * Of a home on a disk of this machine what a disk answers from memory is done without a thread: through Node's pool a
 * small file costs the processor forty times as much (0.8 against 0.02 ms), and every row reads and writes dozens. What
 * waits for the disk itself stays with the pool, and so does all of any other file system: a network drive may hang.
 */
export async function callsOf(folder: Folder): Promise<FolderCalls> {
  folder.isNear ??= isNear(folder.location);
  if (!folder.isNear) return throughPool;
  folder.calls = (folder.calls ?? 0) + 1;
  if (folder.calls % IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
  return atOnce;
}

/** Whether the folder is on a disk of this machine; undefined while it is not there. */
function isNear(location: string): boolean | undefined {
  if (process.platform !== 'linux') return false;
  try {
    return NEAR.has(disk.statfsSync(location).type);
  } catch {
    return undefined;
  }
}

const throughPool: FolderCalls = {
  realPath: (path) => pool.realpath(path),
  entries: (path) => pool.readdir(path, { withFileTypes: true }),
  readSmall: () => Promise.resolve(undefined),
  open: (path, flags, mode) => pool.open(path, flags, mode),
  makeFolder: (path, mode) => pool.mkdir(path, { mode }),
  link: (from, to) => pool.link(from, to),
  rename: (from, to) => pool.rename(from, to),
  remove: (path) => pool.rm(path, { force: true }),
};

const atOnce: FolderCalls = {
  realPath: async (path) => disk.realpathSync.native(path),
  entries: async (path) => disk.readdirSync(path, { withFileTypes: true }),
  readSmall: async (path) => readSmall(path),
  async open(path, flags, mode) {
    const file = disk.openSync(path, flags, mode);
    return {
      writeFile: async (bytes: Uint8Array) => disk.writeFileSync(file, bytes),
      sync: () => fsync(file),
      close: async () => disk.closeSync(file),
    };
  },
  makeFolder: async (path, mode) => void disk.mkdirSync(path, { mode }),
  link: async (from, to) => disk.linkSync(from, to),
  rename: async (from, to) => disk.renameSync(from, to),
  remove: async (path) => disk.rmSync(path, { force: true }),
};

const fsync = promisify((file: number, done: (error: Error | null) => void) => disk.fsync(file, done));

function readSmall(path: string): Uint8Array | undefined {
  const file = disk.openSync(path, TO_READ);
  try {
    const facts = disk.fstatSync(file);
    if (!facts.isFile()) throw noFile(path, facts);
    return facts.size > SMALL_MAX ? undefined : disk.readFileSync(file);
  } finally {
    disk.closeSync(file);
  }
}
