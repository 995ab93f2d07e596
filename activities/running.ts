import type { AttemptRef } from '../src/domain/attempt.js';
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

/** Jobs that were said to take long, by name. */
const long = new WeakMap<Dependencies, Set<string>>();

/** Says once that a job renders for longer than any should: it may still end, and its slot stays held. */
export function warnIfLong(deps: Dependencies, ref: AttemptRef, longestUntilMs: number): void {
  const said = long.get(deps) ?? new Set<string>();
  if (deps.now() <= longestUntilMs || said.has(nameOf(ref))) return;
  long.set(deps, said.add(nameOf(ref)));
  deps.log.warn({ ...ref }, 'a job renders for longer than the longest render');
}

export function lastRunning(deps: Dependencies, ref: AttemptRef): number | undefined {
  return seen.get(deps)?.get(nameOf(ref));
}

export function forgetRunning(deps: Dependencies, ref: AttemptRef): void {
  long.get(deps)?.delete(nameOf(ref));
  seen.get(deps)?.delete(nameOf(ref));
}

export function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}

/** Ids and batch names hold no slash. */
export function refOf(name: string): AttemptRef {
  const [batch = '', id = '', n = ''] = name.split('/');
  return { batch, id, n: Number(n) };
}
