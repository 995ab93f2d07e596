import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectFacts } from './bucket.js';
import { sniffMedia } from './media-type.js';
import { type CommittedFile, type PutStreamOptions, type StoredFile, StoreError, segmentsOf } from './port.js';
import { isConflict, isTaken, s3Code, toS3Error } from './s3-errors.js';
import { type PartsPlace, putInParts } from './s3-parts.js';
import { type Spooled, spool } from './spool.js';
import { REFUSED, type Refused, takeKey } from './take-key.js';

/** Streams a file of any length into a bucket: received, inspected, then uploaded under its final name. */

export interface UploadPlace extends PartsPlace {
  /** Size and sha256 of what has the key. */
  stat(key: string): Promise<StoredFile | undefined>;
  storageClass: ObjectFacts['storageClass'];
  /** Larger files go in parts. */
  oneRequestBytesMax: number;
}

/**
 * A request has its sha256 from the way in, while parts are read and hashed again, and many servers copy them together at
 * the end. Above this, what a broken connection would have to send again costs more.
 */
export const ONE_REQUEST_BYTES_MAX = 256 * 1024 * 1024;
const CONFLICTS_MAX = 8;
/** Another writer's object that comes or goes just now is there, or gone, after it. */
const REFUSED_MS = 1_000;
const TYPES: Record<string, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  html: 'text/html; charset=utf-8',
};

export async function streamToBucket(
  place: UploadPlace,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutStreamOptions,
): Promise<CommittedFile> {
  segmentsOf(key);
  const file = await spool(source);
  try {
    const { head, bytes, sha256, localPath } = file;
    await options.beforeCommit?.({ head, bytes, sha256, ...(localPath === undefined ? {} : { localPath }) });
    const write = (candidate: string) => upload(place, candidate, file, options.ifExists === 'fail');
    return await commit(place, key, { bytes, sha256 }, options, write);
  } finally {
    await file.remove();
  }
}

/** What every object of ours says of itself. */
export function factsOf(key: string, head: Uint8Array, { bytes, sha256 }: StoredFile): Omit<ObjectFacts, 'ifAbsent'> {
  const byName = TYPES[key.slice(key.lastIndexOf('.') + 1)];
  const contentType = byName ?? sniffMedia(head)?.contentType ?? 'application/octet-stream';
  return { contentType, metadata: { sha256, bytes: String(bytes) }, storageClass: null };
}

export function toBase64(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64');
}

/** Repeats a conditional request while the server takes neither of two writers. */
export async function againstConflicts<T>(request: () => Promise<T>): Promise<T> {
  for (let met = 0; ; met += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isConflict(error) || met >= CONFLICTS_MAX) throw error;
      await delay(20 * 2 ** met);
    }
  }
}

/** What has the key now; `wasThere` = it was ours already. */
export type Taken = StoredFile & { wasThere: boolean };

/** Finds the key that the file can have, and writes it; `write` gives what `takeKey` expects. */
export async function commit(
  place: UploadPlace,
  key: string,
  file: StoredFile,
  options: Pick<PutStreamOptions, 'ifExists' | 'nextKey' | 'spareKey'>,
  write: (candidate: string) => Promise<Taken | Refused | undefined>,
): Promise<CommittedFile> {
  return takeKey(key, options, async (candidate) => {
    const there = await place.stat(candidate);
    if (isSame(there, file)) return { ...there, wasThere: true };
    return options.ifExists === 'replace' || there === undefined ? write(candidate) : undefined;
  });
}

/**
 * Undefined when somebody else's file has the name. A server that was killed while it wrote may go on to refuse the name of
 * an object that it does not have.
 */
async function upload(
  place: UploadPlace,
  key: string,
  file: Spooled,
  ifAbsent: boolean,
  triesLeft = 1,
): Promise<Taken | Refused | undefined> {
  const facts = { ...factsOf(key, file.head, file), storageClass: place.storageClass, ifAbsent };
  try {
    const send = file.bytes <= place.oneRequestBytesMax ? putWhole : putInParts;
    await againstConflicts(() => send(place, key, file, facts));
  } catch (error) {
    if (ifAbsent && isTaken(error)) {
      const there = await place.stat(key);
      // The answer to a first try may have been lost: then the name holds our own bytes.
      if (there !== undefined) return ownFile(there, file, true);
      if (triesLeft === 0) return REFUSED;
      await delay(REFUSED_MS);
      return upload(place, key, file, ifAbsent, triesLeft - 1);
    }
    const own = s3Code(error) === 'NoSuchUpload' ? ownFile(await place.stat(key), file, false) : undefined;
    if (own !== undefined) return own;
    throw toS3Error(error, 'write', key, place.location);
  }
  const own = ownFile(await place.stat(key), file, false);
  if (own !== undefined) return own;
  throw new StoreError('BAD_CHECKSUM', `'${key}' in ${place.location} is not what was sent there`, key);
}

async function putWhole(place: UploadPlace, key: string, file: Spooled, facts: ObjectFacts): Promise<void> {
  const sha256 = toBase64(file.sha256);
  const objectKey = place.objectKey(key);
  const told =
    file.localPath === undefined
      ? await place.bucket.put(objectKey, file.head, sha256, facts)
      : await place.bucket.putFile(objectKey, { bytes: file.bytes, sha256, open: file.open }, facts);
  if (told.sha256 === undefined || told.sha256 === sha256) return;
  throw new StoreError('BAD_CHECKSUM', `${place.location} stored other bytes as '${key}' than were sent`, key);
}

/** What has the key, as long as it is the file. */
export function ownFile(there: StoredFile | undefined, file: StoredFile, wasThere: boolean): Taken | undefined {
  return isSame(there, file) ? { ...there, wasThere } : undefined;
}

function isSame(there: StoredFile | undefined, file: StoredFile): there is StoredFile {
  return there?.bytes === file.bytes && there.sha256 === file.sha256;
}
