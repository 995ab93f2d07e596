/**
 * engine.json: who runs in a data folder, exact enough to tell a process of ours from a stranger with its number.
 * engine.stopped: a person ended the engine, so whoever only follows a batch must not start it again.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../domain/json.js';
import { markOf, type ProcessMark } from './keeper.js';
import type { EnginePlaces } from './places.js';

export interface EngineRecord {
  schema: 1;
  buildId: string;
  dataFolder: string;
  socket: string;
  startedAtMs: number;
  /** `127.0.0.1:port` of the Temporal server; null until its port is chosen. */
  address: string | null;
  uiAddress: string | null;
  supervisor: ProcessMark;
  server: ProcessMark | null;
  worker: ProcessMark | null;
  /** Batches that were open last; a record of an older build does not say it. */
  openBatches?: number;
  log: string;
}

/** Written whole: a reader sees the old or the new record. */
export function writeRecord(path: string, record: EngineRecord): void {
  const part = `${path}.part`;
  writeFileSync(part, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, path);
}

/** The record, or undefined when there is none that can be read, or only that of another folder's engine. */
export function readRecord(path: string): EngineRecord | undefined {
  const record = readAny(path);
  return record === undefined || isCopied(path, record) ? undefined : record;
}

/** The folder whose engine is on record here, since it was copied while that ran; undefined where it is its own. */
export function copiedFrom(path: string): string | undefined {
  const record = readAny(path);
  return record !== undefined && isCopied(path, record) ? record.dataFolder : undefined;
}

function readAny(path: string): EngineRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(value) && value.schema === 1 ? (value as unknown as EngineRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that was moved, or is reached by another path, is none: its record stands nowhere else. */
function isCopied(path: string, { dataFolder, supervisor }: EngineRecord): boolean {
  const original = join(String(dataFolder), basename(path));
  const there = original === path ? undefined : readAny(original);
  return there !== undefined && isDeepStrictEqual(there.supervisor, supervisor) && !isSameFile(path, original);
}

/**
 * Where the engine of a folder listens: where it wrote down, since its TMPDIR may have been another one. What a folder
 * brought along from another that is there is the place of that one's engine, which may be a later one by now.
 */
export function socketOf(places: EnginePlaces): string {
  const record = readRecord(places.record);
  if (record === undefined) return places.socket;
  const from = String(record.dataFolder);
  const isBroughtAlong = from !== places.dataFolder && existsSync(from) && !isSameFile(from, places.dataFolder);
  return isBroughtAlong ? places.socket : record.socket;
}

function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

export function removeRecord(path: string): void {
  rmSync(path, { force: true });
}

export type StopReason = 'asked to' | 'asked to at once' | 'Ctrl-C' | 'SIGTERM' | 'SIGINT' | OwnReason;
/** Why an engine ends that nobody stopped. */
type OwnReason = 'no open work' | 'the start failed' | 'unexpected error';

const ownReasons: readonly StopReason[] = ['no open work', 'the start failed', 'unexpected error'];

export function isOrder(why: StopReason): boolean {
  return !ownReasons.includes(why);
}

export interface StopMark {
  /** Batches that were open when it ended; null when that was not known. */
  openBatches: number | null;
}

/** Says so until `clearStopMark`. On a full disk the order is carried out without its mark. */
export function writeStopMark(path: string, { openBatches }: Pick<EngineRecord, 'openBatches'>): void {
  try {
    writeFileSync(path, `${JSON.stringify({ schema: 1, atMs: Date.now(), openBatches })}\n`, { mode: 0o600 });
  } catch {
    // The engine ends all the same.
  }
}

/** Undefined when nobody ended the engine by order since it last ran. */
export function readStopMark(path: string): StopMark | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isJsonObject(value) && typeof value.openBatches === 'number') return { openBatches: value.openBatches };
  } catch {
    // A mark that was cut short is one all the same.
  }
  return { openBatches: null };
}

export function clearStopMark(path: string): void {
  rmSync(path, { force: true });
}

/** Writes engine.json at each change; where the disk has no room it is written as soon as there is some. */
export interface RecordKeeper {
  /** As it was saved last. */
  record: Readonly<EngineRecord>;
  /** Never throws: the end of a child must be dealt with although nothing can be written. */
  save(change: Partial<EngineRecord>): void;
  remove(): void;
}

const againAfterMs = 5_000;

/** The record of an engine that this process just begins to be. */
export function createRecordKeeper(
  buildId: string,
  places: EnginePlaces,
  onTrouble: (error: unknown) => void,
): RecordKeeper {
  const record: EngineRecord = {
    ...{ schema: 1, buildId, dataFolder: places.dataFolder, socket: places.socket, startedAtMs: Date.now() },
    supervisor: markOf(process.pid) ?? { pid: process.pid, mark: '' },
    ...{ address: null, uiAddress: null, server: null, worker: null, log: places.logs.engine },
  };
  let timer: NodeJS.Timeout | undefined;

  function save(change: Partial<EngineRecord>): void {
    Object.assign(record, change);
    clearTimeout(timer);
    timer = undefined;
    try {
      writeRecord(places.record, record);
    } catch (error) {
      onTrouble(error);
      timer = setTimeout(() => save({}), againAfterMs);
    }
  }

  return {
    record,
    save,
    remove() {
      clearTimeout(timer);
      removeRecord(places.record);
    },
  };
}
