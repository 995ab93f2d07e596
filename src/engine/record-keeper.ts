/** Writes engine.json at each change; where the disk has no room it is written as soon as there is some. */
import { type EngineRecord, writeRecord } from './engine-record.js';

export interface RecordKeeper {
  /** Never throws: the end of a child must be dealt with although nothing can be written. */
  save(): void;
  stop(): void;
}

const againAfterMs = 5_000;

export function createRecordKeeper(
  path: string,
  record: EngineRecord,
  onTrouble: (error: unknown) => void,
): RecordKeeper {
  let timer: NodeJS.Timeout | undefined;

  function save(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      writeRecord(path, record);
    } catch (error) {
      onTrouble(error);
      timer = setTimeout(save, againAfterMs);
    }
  }

  return {
    save,
    stop: () => clearTimeout(timer),
  };
}
