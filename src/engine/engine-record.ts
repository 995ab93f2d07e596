/** engine.json: who runs in a data folder, exact enough to tell a process of ours from a stranger with its number. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isJsonObject } from '../domain/json.js';

/** A process: its number, and when it began as the system tells it. */
export interface ProcessMark {
  pid: number;
  mark: string;
}

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

/** The record, or undefined when there is none that can be read. */
export function readRecord(path: string): EngineRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(value) && value.schema === 1 ? (value as unknown as EngineRecord) : undefined;
  } catch {
    return undefined;
  }
}

export function removeRecord(path: string): void {
  rmSync(path, { force: true });
}
