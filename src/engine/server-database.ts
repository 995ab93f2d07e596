/** The server's database may be thrown away: what was paid stands in the home. A damaged one is set aside by itself. */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const databaseFile = 'temporal.db';

/** What SQLite, and a server whose tables are missing, say of a file that cannot be used. */
const damageWords = /file is not a database|disk image is malformed|no such table|file is encrypted/i;
const tailBytesMax = 64_000;

/** Whether the server said since `fromByte` of its log that its database is damaged. */
export function saysDamaged(log: string, fromByte: number): boolean {
  return damageWords.test(readTail(log, fromByte));
}

export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Renames the database with its side files; gives its new path, or undefined when there is none. */
export function setAside(dataFolder: string, nowMs: number): string | undefined {
  const path = join(dataFolder, databaseFile);
  const aside = `${path}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return existsSync(aside) ? aside : undefined;
}

/** What whoever starts the engine is told. */
export function asideNotice(path: string): string {
  return `the engine's database was damaged and is kept as ${path}: what was submitted stands in the home, and \`callsheet resume --all\` goes on`;
}

function readTail(path: string, fromByte: number): string {
  const size = sizeOf(path);
  // A log that was begun anew is shorter than it was.
  const from = Math.max(fromByte <= size ? fromByte : 0, size - tailBytesMax);
  const buffer = Buffer.alloc(size - from);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, buffer, 0, buffer.length, from);
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
  return buffer.toString('utf8');
}
