// Disks of their own, which only root may make: one that cannot be written, and one that is full.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';

/** Undefined where nothing can be mounted. */
export function mountDisk(folder: string, megabytes: number): { makeReadOnly(): void; release(): void } | undefined {
  mkdirSync(folder, { recursive: true });
  const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch {
    return undefined;
  }
  return {
    makeReadOnly: () => mount('-o', 'remount,ro', folder),
    release: () => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
}

/** Writes until no byte more fits. */
export function takeTheRest(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of [65_536, 4_096, 1]) {
      for (const chunk = Buffer.alloc(size); tryWrite(file, chunk); );
    }
  } finally {
    closeSync(file);
  }
}

function tryWrite(file: number, chunk: Buffer): boolean {
  try {
    writeSync(file, chunk);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
