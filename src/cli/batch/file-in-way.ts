import { dirname } from 'node:path/posix';
import type { BatchProgress } from '../../contract/workflows.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';

/** Names the file that keeps a finished output from its name: the workflow knows the row alone. */
export interface FileInWay {
  /** With its folder or bucket; undefined where it cannot be found, or is gone by now. */
  of(progress: Pick<BatchProgress, 'blocked' | 'generation'>): Promise<string | undefined>;
}

/** A view looks twice a second; a folder may hold a million files. */
const LOOK_EVERY_MS = 5_000;

interface Found {
  id: string;
  atMs: number;
  file: string | undefined;
}

export function createFileInWay(access: HomeAccess, batch: string): FileInWay {
  /** Of the row that was looked for last: the rows are gone through once for it. */
  let known: { id: string; stem: string | undefined } | undefined;
  let last: Found | undefined;

  async function stemOf(id: string, generation: string): Promise<string | undefined> {
    const facts = await access.rows.generation(batch, generation);
    for (const part of facts?.parts.keys() ?? []) {
      const found = (await access.rows.readPart(batch, generation, part)).find(({ row }) => row.id === id);
      if (found !== undefined) return found.row.stem;
    }
    return undefined;
  }

  async function look(id: string, generation: string): Promise<string | undefined> {
    try {
      if (known?.id !== id) known = { id, stem: await stemOf(id, generation) };
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

async function find({ config }: HomeAccess, out: string, batch: string, stem: string): Promise<string | undefined> {
  const wanted = `${batch}/media/${stem}`;
  for await (const key of openPlace(config, out, 'shared').list(dirname(wanted))) {
    // Some file systems take names that differ by case alone for one.
    if (key.replace(/\.[A-Za-z0-9]{1,5}$/, '').toLowerCase() === wanted.toLowerCase()) return `${out}/${key}`;
  }
  return undefined;
}
