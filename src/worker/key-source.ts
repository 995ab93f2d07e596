import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Secret } from '../domain/secret.js';

/** Where an account's key comes from: handed over and kept in memory, or a file that is read again when it changes. */
export type KeyOrigin = { value: string } | { file: string };

export interface KeySource {
  /** The key as it is now. */
  current(): string;
  /** Takes the latest key that a client handed over. */
  replace(origin: KeyOrigin): void;
}

export function createKeySource(first: KeyOrigin): KeySource {
  let origin = seal(first);
  let readAtMtime = -1;
  let fromFile = new Secret('');
  return {
    current() {
      if ('secret' in origin) return origin.secret.reveal();
      const { mtimeMs } = statSync(origin.file);
      if (mtimeMs !== readAtMtime) {
        fromFile = new Secret(readFileSync(origin.file, 'utf8').trim());
        readAtMtime = mtimeMs;
      }
      return fromFile.reveal();
    },
    replace(next) {
      origin = seal(next);
      readAtMtime = -1;
    },
  };
}

/** Undefined where its file cannot be read now. */
export function keyNow(source: KeySource): string | undefined {
  try {
    return source.current();
  } catch {
    return undefined;
  }
}

/** A short digest by which two keys are told apart; nobody gets from it to the key. */
export function keyMark(source: KeySource): string {
  try {
    return createHash('sha256').update(`callsheet key mark ${source.current()}`).digest('hex').slice(0, 12);
  } catch {
    return 'none';
  }
}

function seal(origin: KeyOrigin): { secret: Secret } | { file: string } {
  return 'value' in origin ? { secret: new Secret(origin.value) } : { file: origin.file };
}
