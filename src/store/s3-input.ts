import { parseS3Input } from '../domain/s3.js';
import type { OpenBucket } from './bucket.js';
import { type SignedUrl, StoreError } from './port.js';
import { toS3Error } from './s3-errors.js';

/** An object of any bucket that a manifest names as an input. */
export interface S3Input {
  /** Its length; undefined when it does not exist. */
  bytes(): Promise<number | undefined>;
  read(): Promise<AsyncIterable<Uint8Array> | undefined>;
  url(seconds: number): Promise<SignedUrl>;
}

/** `address` is `s3://bucket/key`. Failures are StoreErrors. */
export type OpenInput = (address: string) => S3Input;

export function createInputOpener(openBucket: OpenBucket): OpenInput {
  return (address) => {
    const parsed = parseS3Input(address);
    if (parsed === undefined) throw new StoreError('BAD_ADDRESS', `'${address.slice(0, 200)}' is not s3://bucket/key`);
    const bucket = openBucket(parsed.bucket);
    const asked = async <T>(request: Promise<T>): Promise<T> => {
      try {
        return await request;
      } catch (error) {
        throw toS3Error(error, 'read', parsed.key, `s3://${parsed.bucket}`);
      }
    };
    return {
      bytes: async () => (await asked(bucket.head(parsed.key)))?.bytes,
      read: async () => (await asked(bucket.get(parsed.key)))?.body,
      url: (seconds) => asked(bucket.presign(parsed.key, seconds, undefined)),
    };
  };
}
