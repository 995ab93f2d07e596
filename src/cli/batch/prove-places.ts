import { isS3Address } from '../../domain/s3.js';
import { proveBucket } from '../../store/open-store.js';
import { StoreError } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openPlace, refusePlace } from '../access/home-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** Refuses what the home knows to be wrong before anything is read or asked. */
export async function refuseOtherPlaces(
  { session, access, batch }: BatchPlace,
  baseUrl: string,
  isSharedFolder: boolean,
): Promise<void> {
  const { config } = session;
  const { sharedAddress } = await import('../access/work-access.js');
  const folders = [config.out, config.home].filter((location) => !isS3Address(location));
  if (sharedAddress(session) !== undefined && !isSharedFolder && folders.length > 0) {
    throw new UserError(
      `with a shared Temporal every worker must reach ${folders.join(' and ')}: say --shared-folder when it does, or use a bucket`,
    );
  }
  const bound = await access.home.readBatch(batch);
  if (bound !== undefined && bound.out !== config.out) {
    throw new UserError(
      `batch '${batch}' writes to ${bound.out}, not to ${config.out}: use that --out, or another --name`,
    );
  }
  const known = await access.home.baseUrl();
  if (known === undefined || known === baseUrl) return;
  throw new UserError(
    `account '${config.account.name}' belongs to ${known}, not to ${baseUrl}: use another --account for that service`,
    EXIT.configuration,
  );
}

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

/** A home in a bucket whose server lets two writers have one claim would pay twice: it is not used. */
export async function proveHome({ config, home }: HomeAccess): Promise<void> {
  await proveBucket(home.store).catch((error) => refusePlace(config.home, error));
}

/** Outputs can be written (`B54`), and there is room for them; a place that cannot tell its room takes all. */
export async function proveOut({ config }: HomeAccess, neededBytes: number): Promise<void> {
  const out = openPlace(config, config.out, 'shared');
  try {
    await out.probe();
    const free = await out.freeBytes();
    if (free === undefined || free >= neededBytes) return;
    const message = `${megabytes(free)} are free, and the outputs need about ${megabytes(neededBytes)}; make room or use another --out`;
    throw new StoreError('ENOSPC', message);
  } catch (error) {
    refusePlace(config.out, error);
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
