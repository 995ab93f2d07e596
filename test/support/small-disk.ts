import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a disk of its own on a folder, small enough to be filled; `umount` ends it. */
export function mountDisk(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** Only root may mount a disk, and not in every container. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-mount-'));
  try {
    mountDisk(folder, '1m');
    execFileSync('umount', [folder]);
    return true;
  } catch {
    console.warn('no small disk can be mounted here (needs root on Linux): the test of a full disk does not run');
    return false;
  } finally {
    rmdirSync(folder);
  }
}
