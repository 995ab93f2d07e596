import { dirname } from 'node:path/posix';
import type { BatchProgress } from '../../contract/workflows.js';
import { noCounts } from '../../domain/outcome.js';
import { StoreError } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openPlace, refusePlace, rowsOf } from '../access/home-access.js';
import type { Session } from '../session.js';

/** Output names that are taken in the batch's folder by files that are not its own (`B47`). */
export interface TakenNames {
  onExists: 'fail' | 'skip' | 'version';
  /** Which rows are looked at, of those that were never tried: all, all but copies, or those that were skipped before. */
  concerns: 'all' | 'paid' | 'skipped';
  /** The file that a row of this stem would meet, relative to the batch's folder. */
  fileOf(stem: string): Promise<string | undefined>;
}

export async function openTakenNames({ session, access, batch }: BatchPlace): Promise<TakenNames> {
  const { onExists } = session.config.names;
  const isKnown = (await access.home.readBatch(batch)) !== undefined;
  const concerns = concernsOf(onExists, isKnown);
  const listed = once(() => listNames(session, batch));
  // Before any row is looked up: what a running batch stores from now on is not taken for a file of others.
  if (concerns !== 'skipped') await listed();
  const own = once(() => ownFiles(access, batch));
  return {
    onExists,
    concerns,
    async fileOf(stem) {
      const files = onExists === 'version' ? undefined : (await listed()).get(stem.toLowerCase());
      if (files === undefined || !isKnown) return files?.[0];
      const owned = await own();
      return files.find((file) => !owned.has(file));
    },
  };
}

/**
 * A copy of another row's output leaves no attempt: while its batch runs, the file may be there before its record. It
 * costs nothing, so nothing is lost when the copy itself then meets a file of others.
 */
function concernsOf(onExists: TakenNames['onExists'], isKnown: boolean): TakenNames['concerns'] {
  if (onExists === 'skip') return 'all';
  if (onExists === 'version') return 'skipped';
  return isKnown ? 'paid' : 'all';
}

async function listNames(session: Session, batch: string): Promise<Map<string, string[]>> {
  const media = `${batch}/media`;
  const taken = new Map<string, string[]>();
  const { out } = session.config;
  try {
    for await (const key of openPlace(session.config, out, 'shared').list(media)) {
      const stem = stemOf(key.slice(media.length + 1));
      taken.set(stem, [...(taken.get(stem) ?? []), key.slice(batch.length + 1)]);
    }
  } catch (error) {
    return refusePlace(out, error);
  }
  return taken;
}

/** What the batch has stored: a row's further outputs are named like rows, and rows that left the manifest leave files. */
async function ownFiles({ home, records }: HomeAccess, batch: string): Promise<Set<string>> {
  const owned = new Set<string>();
  for await (const key of home.store.list(home.keys.recordsOf(batch))) {
    const id = key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, '');
    const record = await records.readRecord(batch, id);
    // The file of a skipped row is of others.
    if (record?.status !== 'skipped') for (const { file } of record?.files ?? []) owned.add(file);
  }
  return owned;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Some file systems take names that differ by case alone for one. */
function stemOf(file: string): string {
  return file.replace(/\.[A-Za-z0-9]{1,5}$/, '').toLowerCase();
}

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
  for await (const key of openPlace(config, out, 'shared').list(dirname(wanted))) {
    if (stemOf(key) === wanted.toLowerCase()) return `${out}/${key}`;
  }
  return undefined;
}
