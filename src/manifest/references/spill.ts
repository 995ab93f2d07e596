import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '../../domain/row.js';
import type { RawCells } from '../manifest-options.js';
import { makeTempFolder, refuseTempFolder } from '../temp-folder.js';

/** A row that waits until the rest of the manifest was read, with the places of its cells. */
export interface SpilledRow {
  row: Row;
  raw: RawCells;
  /** 1-based, by column. */
  places: Record<string, number>;
}

/** Rows in a file of this process alone, since a manifest may be larger than the memory. */
export interface Spill<T = SpilledRow> {
  add(row: T): Promise<void>;
  rows(): AsyncIterable<T>;
  close(): Promise<void>;
}

const BUFFERED_CHARACTERS = 1 << 20;
const READ_BYTES = 1 << 20;

export async function openSpill<T = SpilledRow>(): Promise<Spill<T>> {
  const folder = await makeTempFolder('callsheet-rows-');
  const file = await open(join(folder, 'rows.jsonl'), 'wx+', 0o600).catch(refuseTempFolder);
  // Only this handle has it: a process that is killed leaves nothing.
  await rm(folder, { recursive: true, force: true });
  let lines: string[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const text = lines.join('');
    lines = [];
    characters = 0;
    if (text !== '') await file.appendFile(text).catch(refuseTempFolder);
  }

  return {
    async add(row) {
      const line = `${JSON.stringify(row)}\n`;
      lines.push(line);
      characters += line.length;
      if (characters >= BUFFERED_CHARACTERS) await flush();
    },
    async *rows() {
      await flush();
      let rest = Buffer.alloc(0);
      for (let position = 0; ; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        let start = 0;
        for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
          yield JSON.parse(bytes.toString('utf8', start, end)) as T;
          start = end + 1;
        }
        rest = bytes.subarray(start);
      }
    },
    async close() {
      await file.close();
    },
  };
}
