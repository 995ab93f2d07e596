import { isS3Address, parseS3Address, parseS3Input } from '../../domain/s3.js';

/** Where inputs may lie: folders and `s3://bucket/prefix` addresses. */
export interface InputRoots {
  /** What a person names. */
  inputRoots: readonly string[];
  /** The places that earlier batches of the account wrote to; asked for once something lies below none of the others. */
  earlierOuts?: () => Promise<readonly string[]>;
}

/** Tells whether something lies below a root. `isBelow` is asked of the nearest roots first. */
export function createRootCheck({ inputRoots, earlierOuts }: InputRoots) {
  let earlier: Promise<readonly string[]> | undefined;
  return async (isBelow: (root: string) => boolean | Promise<boolean>): Promise<boolean> => {
    for (const root of inputRoots) if (await isBelow(root)) return true;
    earlier ??= earlierOuts?.() ?? Promise.resolve([]);
    for (const root of await earlier) if (await isBelow(root)) return true;
    return false;
  };
}

export type RootCheck = ReturnType<typeof createRootCheck>;

/** Whether an object lies below an `s3://bucket/prefix` address. */
export function isBelowAddress(root: string, object: string): boolean {
  const place = isS3Address(root) ? parseS3Address(root) : undefined;
  const input = parseS3Input(object);
  if (place === undefined || input === undefined || place.bucket !== input.bucket) return false;
  return place.prefix === '' || input.key.startsWith(`${place.prefix}/`);
}
