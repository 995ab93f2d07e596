/** Writes engine.json at each change; where the disk has no room it is written as soon as there is some. */
import type { SupervisorOptions } from './engine-options.js';
import { type EngineRecord, writeRecord } from './engine-record.js';
import type { EnginePlaces } from './places.js';
import { markOf } from './processes.js';

export interface RecordKeeper {
  /** Never throws: the end of a child must be dealt with although nothing can be written. */
  save(change: Partial<EngineRecord>): void;
  stop(): void;
}

const againAfterMs = 5_000;

export function createRecordKeeper(
  path: string,
  record: EngineRecord,
  onTrouble: (error: unknown) => void,
): RecordKeeper {
  let timer: NodeJS.Timeout | undefined;

  function save(change: Partial<EngineRecord>): void {
    Object.assign(record, change);
    clearTimeout(timer);
    timer = undefined;
    try {
      writeRecord(path, record);
    } catch (error) {
      onTrouble(error);
      timer = setTimeout(() => save({}), againAfterMs);
    }
  }

  return {
    save,
    stop: () => clearTimeout(timer),
  };
}

/** The record of an engine that this process just begins to be. */
export function newRecord(options: SupervisorOptions, places: EnginePlaces): EngineRecord {
  return {
    schema: 1,
    buildId: options.buildId,
    dataFolder: places.dataFolder,
    socket: places.socket,
    startedAtMs: Date.now(),
    address: null,
    uiAddress: null,
    supervisor: markOf(process.pid) ?? { pid: process.pid, mark: '' },
    server: null,
    worker: null,
    log: places.logs.engine,
  };
}
