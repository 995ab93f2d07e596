import type { AttemptRef } from '../domain/attempt.js';
import type { Dependencies } from './dependencies.js';

/**
 * When each job was last seen running: until then nothing of its end can have been booked. Kept in memory alone, since
 * without it the credits check only knows less.
 */
const seen = new WeakMap<Dependencies, Map<string, number>>();

export function noteRunning(deps: Dependencies, ref: AttemptRef, askedAtMs: number): void {
  const jobs = seen.get(deps) ?? new Map<string, number>();
  seen.set(deps, jobs.set(nameOf(ref), askedAtMs));
}

export function lastRunning(deps: Dependencies, ref: AttemptRef): number | undefined {
  return seen.get(deps)?.get(nameOf(ref));
}

export function forgetRunning(deps: Dependencies, ref: AttemptRef): void {
  seen.get(deps)?.delete(nameOf(ref));
}

export function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}
