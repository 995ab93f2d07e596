/**
 * A store is a folder or a bucket behind these verbs. Keys are `/`-separated relative paths of safe segments
 * (`A-Z a-z 0-9 . _ -`, no `..`, no dot at either end). Every write is whole or absent: no reader ever sees a part
 * of it. Every write is durable when its promise resolves. Every failure is a `StoreError`.
 */
export interface Store {
  /** Where it is, for messages: an absolute path or `s3://bucket/prefix`. */
  readonly location: string;
  /** Writes or replaces, durably. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes only if the key is absent, durably; false when it was there. The one arbiter between processes. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Several `putIfAbsent` for little more than the cost of one. They become visible in the order given, and all are
   * durable when it returns; each entry of the result says whether that key was absent.
   */
  putAllIfAbsent(entries: readonly StoreEntry[]): Promise<boolean[]>;
  /** The bytes, or undefined when absent. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The bytes, or a part of them, as a stream in constant memory; undefined when absent. */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Every key below `prefix/` (`''` = all), in code-unit order. */
  list(prefix: string): AsyncIterable<string>;
  /**
   * The same with folders, which end with `/`, and with links and whatever else no file can be written to. Not for a
   * bucket, where a name is taken by its own object alone.
   */
  occupied?(prefix: string): AsyncIterable<string>;
  /** The same as `list` with what a bucket says of each object. Not for a folder. */
  objects?(prefix: string): AsyncIterable<ListedObject>;
  /** The names directly below `prefix/` (files and folders), in code-unit order. */
  names(prefix: string): Promise<string[]>;
  /** Removes if present. Only for indexes and own temporary files: the ledger's records are never removed. */
  remove(key: string): Promise<void>;
  /** Removes every key below `prefix/`. Only for what is unfinished or can be made again. */
  removeAll(prefix: string): Promise<void>;
  /**
   * Moves every key below `from/` to the same name below `to/`, replacing what is there. Each file moves whole, the
   * set does not: write the key that says "complete" afterwards.
   */
  moveAll(from: string, to: string): Promise<void>;
  /**
   * Streams a file of unknown length to its final key without ever showing a part of it there. The returned facts
   * are computed from the bytes that were written. `beforeCommit` sees them before the key becomes visible and may
   * throw to refuse them; nothing is left then. Errors of `source` and `beforeCommit` come out as they are.
   */
  putStream(key: string, source: AsyncIterable<Uint8Array>, options: PutStreamOptions): Promise<CommittedFile>;
  /**
   * Puts a copy of a file that a store of the same sort holds under a key, whole, without its bytes coming through this
   * process where disk or bucket can do that. Throws a StoreError `CHANGED` where the file is not the expected one.
   */
  copyFile?(from: FilePlace, key: string, options: CopyOptions): Promise<CommittedFile>;
  /** Where a file of this store is, for `copyFile` of another. */
  placeOf?(key: string): FilePlace;
  /** Size and sha256 of a stored file, or undefined when absent. Reads the whole file where the store keeps no hash. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** Size of a stored file in bytes, or undefined when absent. Cheap. */
  size(key: string): Promise<number | undefined>;
  /**
   * A URL that reads the file without credentials for so long, and when it ends; undefined where there is no such thing
   * (a folder). The key need not exist.
   */
  url(key: string, seconds: number, contentType: string): Promise<SignedUrl | undefined>;
  /**
   * For each key, of a file or of a folder, what changes whenever it is written anew, or a name directly below it is;
   * undefined where it is absent. Two stamps are equal only where nothing can have changed. Not for a bucket.
   */
  stamps?(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Bytes that can still be written, or undefined where that is not known. */
  freeBytes(): Promise<number | undefined>;
  /** Throws a StoreError that says in one sentence why the store cannot be written; leaves nothing behind. */
  probe(): Promise<void>;
}

/** From the first byte to the last, both included; it must lie within the file. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What a bucket says of an object that it lists. */
export interface ListedObject {
  key: string;
  bytes: number;
  /** By the server's clock, to the second. */
  writtenAtMs: number;
}

export interface SignedUrl {
  url: string;
  /** The credentials that signed it may end before the time that was asked for. */
  endsAtMs: number;
}

export interface StoreEntry {
  key: string;
  bytes: Uint8Array;
}

export interface PutStreamOptions {
  /** Names the temporary file, so that two attempts never share one; a later call removes what an earlier one left. */
  attemptName: string;
  /** What happens when the key exists with other bytes: an equal file is always taken as ours. */
  ifExists: 'fail' | 'replace';
  /**
   * With `fail`: further keys to try, `n` = 2, 3, …, all in the folder of the first, when the key exists with other
   * bytes. Without it, or after 999, the write fails with code `EEXIST`.
   */
  nextKey?: (n: number) => string;
  /** Such keys where `nextKey` is absent and the store refuses a key that no file has. */
  spareKey?: (n: number) => string;
  beforeCommit?: (file: PendingFile) => Promise<void> | void;
}

export interface StoredFile {
  bytes: number;
  sha256: string;
  /** What a bucket says of the object: other bytes under its key have another one. */
  etag?: string;
  /** In a bucket that keeps versions. */
  version?: string;
}

/** A file for those who copy it: its path, or its object's key in its bucket. */
export type FilePlace = { in: 'folder'; path: string } | { in: 'bucket'; bucket: string; object: string };

export interface CopyOptions extends Pick<PutStreamOptions, 'attemptName' | 'nextKey'> {
  /** What the file must be. */
  expected: StoredFile;
}

/** A file that is written and durable but not yet visible. */
export interface PendingFile extends StoredFile {
  /** The first bytes: at least 256 KiB, or all of a shorter file. */
  head: Uint8Array;
  /** Where it can be opened until `beforeCommit` returns; absent where the store is not on this machine. */
  localPath?: string;
}

export interface CommittedFile extends StoredFile {
  /** The key that was taken. */
  key: string;
  /** True when the key already held the same bytes. */
  wasThere: boolean;
}

/** `code` is the system's or vendor's own (`ENOSPC`, `AccessDenied`), or `BAD_KEY`, `DAMAGED`; the message one sentence. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly code: string,
    message: string,
    readonly key?: string,
  ) {
    super(message);
  }
}

/** A file as somebody may have changed it: an object of a bucket is not held against what it still says of itself. */
export function readAsItLies(
  store: Pick<Store, 'read'>,
  key: string,
  { bytes }: Pick<StoredFile, 'bytes'>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  return store.read(key, bytes > 0 ? { start: 0, end: bytes - 1 } : undefined);
}

/** A link, a folder, a pipe, a name that no file has, or an object that is not what it says of itself. */
const NO_FILE = ['BAD_KEY', 'DAMAGED', 'ELOOP', 'EISDIR', 'ENOTDIR', 'ENOTFILE'];

/** Whether a read was refused for what lies there, and not by a store that is in trouble. */
export function isNoFile(error: unknown): boolean {
  return error instanceof StoreError && NO_FILE.includes(error.code);
}

/** What a key may look like: the one rule that keeps every file of a store below its root. */

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

/** True for one path segment that is safe on every file system and in every bucket. */
export function isSafeSegment(segment: string): boolean {
  return SEGMENT.test(segment) && !segment.includes('..') && !segment.endsWith('.');
}

/** The segments of a key; throws a StoreError `BAD_KEY` for anything that is not a safe relative path. */
export function segmentsOf(key: string): string[] {
  const segments = key.split('/');
  if (!segments.every(isSafeSegment)) {
    throw new StoreError('BAD_KEY', `not a safe name for a stored file: ${JSON.stringify(key.slice(0, 200))}`, key);
  }
  return segments;
}

/** Code-unit order, the same on every machine whatever its language. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
