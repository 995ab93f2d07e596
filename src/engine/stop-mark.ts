/** engine.stopped: a person ended the engine, so whoever only follows a batch must not start it again. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Says so until `clearStopMark`. On a full disk the order is carried out without its mark. */
export function writeStopMark(path: string): void {
  try {
    writeFileSync(path, `${JSON.stringify({ schema: 1, atMs: Date.now() })}\n`, { mode: 0o600 });
  } catch {
    // The engine ends all the same.
  }
}

export function isStoppedByOrder(path: string): boolean {
  return existsSync(path);
}

export function clearStopMark(path: string): void {
  rmSync(path, { force: true });
}
