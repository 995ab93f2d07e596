import { defined } from '../../domain/defined.js';
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
  /** The row of the batch whose output it is. */
  owner?: string;
}

/** Output names that are taken in the batch's folder by what is not the row's own (`B47`). */
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
  const owned = once(() => ownersOf(access, batch));

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
      const files = onExists === 'version' ? undefined : (await listed()).get(stem);
      if (files === undefined || !isLookedAt(planned, onExists)) return undefined;
      const owners = isKnown ? await owned() : new Map<string, Owner>();
      for (const file of files.map((one) => one.replace(/\/$/, ''))) {
        const owner = owners.get(file);
        if (owner === undefined && isKnown && mayBeOwn(planned, onExists)) continue;
        // A row's further outputs are named like rows; with `skip` the row that is meant steps aside.
        if (owner?.id === row.id || (owner?.isFurther && onExists === 'skip')) continue;
        return { file, ...defined({ owner: owner?.id }) };
      }
      return undefined;
    },
  };
}

/** A row that has files of its own steps aside by itself, and with `skip` every row does that was tried. */
function isLookedAt({ plan, isUntried, hasFiles }: PlannedRow, onExists: TakenNames['onExists']): boolean {
  if (plan.plan === 'skipped') return true;
  return onExists === 'skip' ? isUntried : hasFiles !== true;
}

/**
 * Whether a file that no record names may be the row's own: of an earlier attempt, or a copy of another row's output,
 * which leaves no attempt and, while its batch runs, may be there before its record.
 */
function mayBeOwn({ plan, isUntried }: PlannedRow, onExists: TakenNames['onExists']): boolean {
  if (plan.plan === 'skipped') return false;
  return !isUntried || (plan.plan === 'shared' && onExists === 'fail');
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

interface Owner {
  id: string;
  /** It is not the row's first output. */
  isFurther: boolean;
}

const READ_TOGETHER = 500;

/** Which row has which file of the batch, rows included that left the manifest. Read only once a name is taken. */
async function ownersOf({ home, records }: HomeAccess, batch: string): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  let ids: string[] = [];
  async function read(): Promise<void> {
    for (const record of await records.readRecords(batch, ids)) {
      // The file of a skipped row is of others.
      if (record === undefined || record.status === 'skipped') continue;
      for (const [at, { file }] of record.files.entries()) owners.set(file, { id: record.id, isFurther: at > 0 });
    }
    ids = [];
  }
  for await (const key of home.store.list(home.keys.recordsOf(batch))) {
    ids.push(key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, ''));
    if (ids.length >= READ_TOGETHER) await read();
  }
  await read();
  return owners;
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
