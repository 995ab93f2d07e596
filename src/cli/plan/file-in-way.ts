import { dirname } from 'node:path/posix';
import type { BatchProgress } from '../../contract/workflows.js';
import { noCounts } from '../../domain/outcome.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openPlace, rowsOf } from '../access/home-access.js';
import { occupiedBelow, stemOf } from './taken-names.js';

/** Names the file that keeps a finished output from its name: the workflow knows the row alone. */
interface FileInWay {
  /** With its folder or bucket; undefined where it cannot be found, or is gone by now. */
  of(progress: Pick<BatchProgress, 'blocked' | 'generation'>): Promise<string | undefined>;
}

/** A view looks twice a second; a folder may hold a million files. */
const LOOK_EVERY_MS = 5_000;

export function createFileInWay(access: HomeAccess, batch: string): FileInWay {
  /** Of the row that was looked for last: the rows are gone through once for it. */
  let known: { id: string; stem: string | undefined } | undefined;
  let last: { id: string; atMs: number; file: string | undefined } | undefined;

  async function nameOf(id: string, generation: string): Promise<string | undefined> {
    const facts = await access.rows.generation(batch, generation);
    if (facts !== undefined) {
      for await (const { row } of rowsOf(access, batch, facts)) if (row.id === id) return row.stem;
    }
    return undefined;
  }

  async function look(id: string, generation: string): Promise<string | undefined> {
    try {
      if (known?.id !== id) known = { id, stem: await nameOf(id, generation) };
      const out = (await access.home.readBatch(batch))?.out;
      return known.stem === undefined || out === undefined ? undefined : await find(access, out, batch, known.stem);
    } catch (error) {
      // The sentence then names the row alone.
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }

  return {
    async of({ blocked, generation }) {
      if (blocked?.code !== 'EEXIST' || blocked.id === null) return undefined;
      const { id } = blocked;
      const atMs = Date.now();
      if (last?.id !== id || Math.abs(atMs - last.atMs) >= LOOK_EVERY_MS) {
        last = { id, atMs, file: await look(id, generation) };
      }
      return last.file;
    },
  };
}

/** What a workflow says of its batch, with the file that is in a way; an older build did not count every status. */
export async function shownProgress(seen: BatchProgress, inWay: FileInWay): Promise<BatchProgress> {
  const file = await inWay.of(seen);
  const blocked = seen.blocked === null || file === undefined ? seen.blocked : { ...seen.blocked, file };
  return { ...seen, blocked, counts: { ...noCounts(), ...seen.counts } };
}

async function find({ config }: HomeAccess, out: string, batch: string, stem: string): Promise<string | undefined> {
  const wanted = `${batch}/media/${stem}`;
  for await (const key of occupiedBelow(openPlace(config, out, 'shared'), dirname(wanted))) {
    if (stemOf(key) === wanted.toLowerCase()) return `${out}/${key}`;
  }
  return undefined;
}
