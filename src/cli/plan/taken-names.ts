import { splitOutputName } from '../../domain/media-type.js';
import { isS3Address } from '../../domain/s3.js';
import { foldersOf } from '../../manifest/output-names.js';
import type { Store } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openPlace, refusePlace } from '../access/home-access.js';
import type { Session } from '../session.js';
import type { PlannedRow } from './row-planner.js';

/** What keeps an output from its name. */
export interface NameInWay {
  /** Relative to the batch's folder. */
  file: string;
  /** The name needs a folder in its place: no other name beside it would do. */
  isAbove?: true;
}

/** Output names that are taken in the batch's folder by files that are not its own (`B47`). */
export interface TakenNames {
  onExists: 'fail' | 'skip' | 'version';
  /** What the output of a row would meet; undefined where nothing is there, or where it may step aside. */
  inWayOf(planned: PlannedRow): Promise<NameInWay | undefined>;
}

export async function openTakenNames({ session, access, batch }: BatchPlace): Promise<TakenNames> {
  const { onExists } = session.config.names;
  const isKnown = (await access.home.readBatch(batch)) !== undefined;
  const listed = once(() => listNames(session, batch));
  // Before any row is looked up: what a running batch stores from now on is not taken for a file of others.
  if (onExists !== 'version') await listed();
  const own = once(() => ownFiles(access, batch));

  /** A file or link where a folder must be made; a bucket has none. */
  async function aboveOf(stem: string): Promise<string | undefined> {
    if (isS3Address(session.config.out)) return undefined;
    for (const folder of foldersOf(stem)) {
      const file = (await listed()).get(stemOf(folder))?.find((one) => one.toLowerCase() === `media/${folder}`);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  return {
    onExists,
    async inWayOf(planned) {
      const { row, plan } = planned;
      if (!['submit', 'shared', 'skipped'].includes(plan.plan)) return undefined;
      const stem = row.stem.toLowerCase();
      const above = await aboveOf(stem);
      if (above !== undefined) return { file: above, isAbove: true };
      if (onExists === 'version' || !isLookedAt(planned, onExists, isKnown)) return undefined;
      const files = (await listed()).get(stem)?.map((file) => file.replace(/\/$/, ''));
      if (files === undefined) return undefined;
      const owned = isKnown ? await own() : new Set();
      const file = files.find((one) => !owned.has(one));
      return file === undefined ? undefined : { file };
    },
  };
}

/**
 * A row that was tried may meet its own earlier file. A copy of another row's output leaves no attempt: while its batch
 * runs, the file may be there before its record. It costs nothing, so nothing is lost when the copy itself then meets a
 * file of others.
 */
function isLookedAt({ plan, isUntried }: PlannedRow, onExists: 'fail' | 'skip', isKnown: boolean): boolean {
  if (plan.plan === 'skipped') return true;
  return isUntried && (plan.plan === 'submit' || onExists === 'skip' || !isKnown);
}

/** By stem in lower case: relative to the batch's folder, folders with a slash at the end. */
async function listNames(session: Session, batch: string): Promise<Map<string, string[]>> {
  const media = `${batch}/media`;
  const taken = new Map<string, string[]>();
  const { out } = session.config;
  try {
    for await (const key of occupiedBelow(openPlace(session.config, out, 'shared'), media)) {
      // A folder is in the way of a file of its very name alone.
      if (key.endsWith('/') && splitOutputName(key.slice(0, -1).toLowerCase()) === undefined) continue;
      const stem = stemOf(key.slice(media.length + 1));
      taken.set(stem, [...(taken.get(stem) ?? []), key.slice(batch.length + 1)]);
    }
  } catch (error) {
    return refusePlace(out, error);
  }
  return taken;
}

/** Whatever has a name below the prefix and keeps an output from it; folders end with a slash. */
export function occupiedBelow(store: Store, prefix: string): AsyncIterable<string> {
  return store.occupied?.(prefix) ?? store.list(prefix);
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
export function stemOf(file: string): string {
  return file.replace(/\.[A-Za-z0-9]{1,5}\/?$/, '').toLowerCase();
}
