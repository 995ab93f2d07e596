import type { AttemptRef } from '../domain/attempt.js';
import type { Dependencies } from './dependencies.js';

/** Attempts that a worker has under way, by the number of submits: an operator's reset starts a second beside the first. */
const underWay = new WeakMap<Dependencies, Map<string, number>>();

export function isUnderWay(deps: Dependencies, ref: AttemptRef): boolean {
  return (underWayOf(deps).get(nameOf(ref)) ?? 0) > 0;
}

export function noteUnderWay(deps: Dependencies, ref: AttemptRef, by: 1 | -1): void {
  const submits = underWayOf(deps);
  const count = (submits.get(nameOf(ref)) ?? 0) + by;
  if (count > 0) submits.set(nameOf(ref), count);
  else submits.delete(nameOf(ref));
}

function underWayOf(deps: Dependencies): Map<string, number> {
  const known = underWay.get(deps) ?? new Map<string, number>();
  underWay.set(deps, known);
  return known;
}

function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}
