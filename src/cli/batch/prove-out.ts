import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isS3Address } from '../../domain/s3.js';
import { megabytes } from '../../domain/shown-number.js';
import { errorCode, toStoreError } from '../../store/folder-errors.js';
import { type Store, StoreError } from '../../store/port.js';
import { type BatchPlace, openPlace, refusePlace } from '../access/home-access.js';

/** Outputs can be written (`B54`), and there is room for them; a place that cannot tell its room takes all. */
export async function proveOut(
  { access: { config }, batch }: Pick<BatchPlace, 'access' | 'batch'>,
  neededBytes: number,
  out = config.out,
): Promise<void> {
  const place = openPlace(config, out, 'shared');
  try {
    await place.probe();
    if (!isS3Address(out)) await proveMedia(place, `${batch}/media`);
    const free = await place.freeBytes();
    if (free === undefined || free >= neededBytes) return;
    const message = `${megabytes(free, neededBytes)} are free, and the outputs need about ${megabytes(neededBytes, free)}; make room or use another --out`;
    throw new StoreError('ENOSPC', message);
  } catch (error) {
    refusePlace(out, error);
  }
}

/** Of an earlier run: it may be a link that leads out by now, another user's, or on a disk that takes nothing. */
async function proveMedia(place: Store, media: string): Promise<void> {
  // No such file, but the way to it is looked at.
  await place.size(`${media}/probe`);
  await access(join(place.location, media), constants.W_OK | constants.X_OK).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw toStoreError(error, 'write', media, place.location);
  });
}
