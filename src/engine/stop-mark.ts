/** engine.stopped: a person ended the engine, so whoever only follows a batch must not start it again. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isJsonObject } from '../domain/json.js';
import type { EngineRecord } from './engine-record.js';

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
