import { openPlace } from '../access/home-access.js';
import { placeRefused } from '../place-refused.js';
import type { Session } from '../session.js';

/** Output names that are taken in the batch's folder before its first run: files that are not ours (`B47`). */
export interface TakenNames {
  /** The file that a row of this stem would meet, relative to the batch's folder. */
  fileOf(stem: string): string | undefined;
}

export async function readTakenNames(session: Session, batch: string): Promise<TakenNames> {
  const media = `${batch}/media`;
  const taken = new Map<string, string>();
  const { out } = session.config;
  try {
    for await (const key of openPlace(session.config, out, 'shared').list(media)) {
      const file = key.slice(batch.length + 1);
      taken.set(stemKey(file.slice('media/'.length).replace(/\.[A-Za-z0-9]{1,5}$/, '')), file);
    }
  } catch (error) {
    throw placeRefused(out, error);
  }
  return { fileOf: (stem) => taken.get(stemKey(stem)) };
}

/** Some file systems take names that differ by case alone for one. */
function stemKey(stem: string): string {
  return stem.toLowerCase();
}
