import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** This machine's folder for temporary files takes nothing: no defect, and its user can mend it. */
export class TempFolderError extends Error {
  override readonly name = 'TempFolderError';
}

const WHY: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'it is full'],
  ['EDQUOT', 'its quota is used up'],
  ['ENOENT', 'there is no such folder'],
  ['ENOTDIR', 'it is no folder'],
  ['EACCES', 'no permission'],
  ['EPERM', 'no permission'],
  ['EROFS', 'it is read-only'],
]);

/** Throws one sentence for what the system says of a file in that folder; any other error as it is. */
export function refuseTempFolder(error: unknown): never {
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  const code = 'code' in error ? String(error.code) : '';
  const why = [WHY.get(code), `(${code})`].filter((part) => part !== undefined).join(' ');
  throw new TempFolderError(
    `the folder for temporary files ${tmpdir()} cannot be used: ${why}; make room there or mend it, or name another by TMPDIR`,
    { cause: error },
  );
}

/** A folder of this process alone. */
export function makeTempFolder(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), prefix)).catch(refuseTempFolder);
}
