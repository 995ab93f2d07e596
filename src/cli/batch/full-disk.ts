import { isS3Address } from '../../domain/s3.js';
import { openPlace } from '../access/home-access.js';
import type { Session } from '../session.js';

/** Less room than this is none: databases and logs stop before the last byte. */
const FULL_BELOW_BYTES = 4_000_000;

/** Names the folder whose disk is full, if any: an engine without room does not answer. `out`: where outputs go. */
export async function fullDisk({ config }: Session, out = config.out): Promise<string | undefined> {
  for (const place of new Set([config.data, config.home, out])) {
    if (isS3Address(place)) continue;
    const free = await openPlace(config, place, 'private').freeBytes();
    if (free !== undefined && free < FULL_BELOW_BYTES) {
      return `the disk of ${place} is full: make room and it goes on by itself`;
    }
  }
  return undefined;
}
