import type { AttemptRef } from '../domain/attempt.js';
import type { Log } from '../domain/log.js';
import { nameOf } from '../home/attempts.js';

/**
 * When each job was last seen running: until then nothing of its end can have been booked. Kept in memory alone, since
 * without it the credits check only knows less.
 */
export interface Running {
  note(ref: AttemptRef, askedAtMs: number): void;
  last(ref: AttemptRef): number | undefined;
  forget(ref: AttemptRef): void;
  /** Says once that a job renders for longer than any should: it may still end, and its slot stays held. */
  warnIfLong(ref: AttemptRef, longestUntilMs: number): void;
}

export function openRunning({ log, now }: { log: Log; now(): number }): Running {
  const seen = new Map<string, number>();
  const long = new Set<string>();
  return {
    note: (ref, askedAtMs) => void seen.set(nameOf(ref), askedAtMs),
    last: (ref) => seen.get(nameOf(ref)),
    forget: (ref) => {
      long.delete(nameOf(ref));
      seen.delete(nameOf(ref));
    },
    warnIfLong: (ref, longestUntilMs) => {
      if (now() <= longestUntilMs || long.has(nameOf(ref))) return;
      long.add(nameOf(ref));
      log.warn({ ...ref }, 'a job renders for longer than the longest render');
    },
  };
}
