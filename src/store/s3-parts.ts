import { createHash } from 'node:crypto';
import type { Bucket, ObjectFacts, UploadedPart } from './bucket.js';
import { parallel } from './parallel.js';
import { StoreError } from './port.js';
import type { Spooled } from './spool.js';

/** Uploads a large file in parts, a few of them side by side. */

export interface PartsPlace {
  bucket: Bucket;
  location: string;
  /** The object's key of a store's key. */
  objectKey(key: string): string;
}

const PART_BYTES = 8 * 1024 * 1024;
/** The service takes at most 10,000. */
const PARTS_MAX = 9_000;
const PARTS_AT_ONCE = 4;
const partBuffers = createPartBuffers(PARTS_AT_ONCE, PART_BYTES);

export async function putInParts(place: PartsPlace, key: string, file: Spooled, facts: ObjectFacts): Promise<void> {
  const { bucket } = place;
  const objectKey = place.objectKey(key);
  await abortOthers(bucket, objectKey);
  const uploadId = await bucket.beginUpload(objectKey, facts);
  try {
    const partBytes = Math.max(PART_BYTES, Math.ceil(file.bytes / PARTS_MAX));
    const numbers = Array.from({ length: Math.ceil(file.bytes / partBytes) }, (_, i) => i + 1);
    const send = async (number: number, bytes: Buffer): Promise<UploadedPart> => {
      await file.read((number - 1) * partBytes, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('base64');
      const part = await bucket.putPart(objectKey, uploadId, number, bytes, sha256);
      if (part.sha256 === sha256) return part;
      throw new StoreError('BAD_CHECKSUM', `${place.location} stored other bytes of '${key}' than were sent`, key);
    };
    const parts = await parallel(numbers, PARTS_AT_ONCE, (number) =>
      partBuffers.use(Math.min(partBytes, file.bytes - (number - 1) * partBytes), (bytes) => send(number, bytes)),
    );
    await bucket.finishUpload(objectKey, uploadId, parts, facts.ifAbsent);
  } catch (error) {
    await bucket.abortUpload(objectKey, uploadId).catch(() => undefined);
    throw error;
  }
}

/** A killed process left its parts, which are paid for until somebody drops them. Not everyone may list uploads. */
async function abortOthers(bucket: Bucket, objectKey: string): Promise<void> {
  const left = await bucket.uploadsBelow(objectKey).catch(() => []);
  for (const { key, uploadId } of left) {
    if (key === objectKey) await bucket.abortUpload(objectKey, uploadId).catch(() => undefined);
  }
}

interface PartBuffers {
  /** Runs with a buffer of so many bytes, its contents unknown; waits while all are in use. */
  use<T>(bytes: number, run: (buffer: Buffer) => Promise<T>): Promise<T>;
}

/** A few buffers for all uploads of this process: however many run side by side, they take the same memory. */
function createPartBuffers(count: number, size: number): PartBuffers {
  const free: Buffer[] = [];
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async use(bytes, run) {
      while (taken >= count) await new Promise<void>((resolve) => waiting.push(resolve));
      taken += 1;
      // A file of more than 10,000 parts of the usual size needs larger ones, which are not kept.
      const buffer = bytes <= size ? (free.pop() ?? Buffer.allocUnsafeSlow(size)) : Buffer.allocUnsafeSlow(bytes);
      try {
        return await run(buffer.subarray(0, bytes));
      } finally {
        taken -= 1;
        if (buffer.length === size) free.push(buffer);
        waiting.shift()?.();
      }
    },
  };
}
