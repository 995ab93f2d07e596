/** The engine's log files: appended to, private, and of bounded size. */
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

/** Where the supervisor says what happens. */
export interface EngineLog {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
}

const logBytesMax = 10_000_000;

/** Opens a log for appending; one that has grown too large becomes `….1` first. */
export function openLog(path: string): { fd: number; close(): void } {
  try {
    if (statSync(path).size > logBytesMax) renameSync(path, `${path}.1`);
  } catch {
    // There is none yet.
  }
  const fd = openSync(path, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/** The last lines of a log, for an error message. */
export function lastLines(path: string, count: number): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
