/** engine.stopped: a person ended the engine, so whoever only follows a batch must not start it again. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';

export type StopReason = 'asked to' | 'asked to at once' | 'Ctrl-C' | 'SIGTERM' | 'SIGINT' | OwnReason;
/** Why an engine ends that nobody stopped. */
type OwnReason = 'no open work' | 'the start failed' | 'unexpected error';

const ownReasons: readonly StopReason[] = ['no open work', 'the start failed', 'unexpected error'];

export function isOrder(why: StopReason): boolean {
  return !ownReasons.includes(why);
}

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
