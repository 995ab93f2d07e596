import { folderTrouble } from './folder-errors.js';
import { s3Trouble } from './s3-errors.js';

/** What a code of a store means, in words: `the disk is full (ENOSPC)`. */
export function storeTrouble(code: string): string {
  return `${folderTrouble(code) ?? s3Trouble(code) ?? 'the store refuses'} (${code})`;
}
