import type { AttemptRef } from '../src/domain/attempt.js';
import type { AwaitedCall } from '../src/domain/price.js';
import type { Dependencies } from './dependencies.js';
import { nameOf } from './running.js';

/** Attempts that a worker has under way, by the number of submits: an operator's reset starts a second beside the first. */
const underWay = new WeakMap<Dependencies, Map<string, number>>();
/** Those of them that were claimed, so that their answer is paid for. */
const awaited = new WeakMap<Dependencies, Map<string, AwaitedCall>>();
/** Workers that end: they claim nothing any more. */
const ending = new WeakSet<Dependencies>();

export function isUnderWay(deps: Dependencies, ref: AttemptRef): boolean {
  return (underWayOf(deps).get(nameOf(ref)) ?? 0) > 0;
}

export function noteUnderWay(deps: Dependencies, ref: AttemptRef, by: 1 | -1): void {
  const submits = underWayOf(deps);
  const count = (submits.get(nameOf(ref)) ?? 0) + by;
  if (count > 0) submits.set(nameOf(ref), count);
  else submits.delete(nameOf(ref));
  if (count <= 0) awaited.get(deps)?.delete(nameOf(ref));
}

/** From now until the attempt is no longer under way its answer is waited for, also by a worker that ends. */
export function noteAwaited(deps: Dependencies, ref: AttemptRef, call: AwaitedCall): void {
  const calls = awaited.get(deps) ?? new Map<string, AwaitedCall>();
  awaited.set(deps, calls.set(nameOf(ref), call));
}

/** The answer of an attempt is there, and the home does not take it. */
export function noteUnwritten(deps: Dependencies, ref: AttemptRef): void {
  const call = awaited.get(deps)?.get(nameOf(ref));
  if (call) call.isAnswered = true;
}

export function awaitedCalls(deps: Dependencies): AwaitedCall[] {
  return [...(awaited.get(deps)?.values() ?? [])];
}

export function endClaims(deps: Dependencies): void {
  ending.add(deps);
}

export function mayClaim(deps: Dependencies): boolean {
  return !ending.has(deps);
}

function underWayOf(deps: Dependencies): Map<string, number> {
  const known = underWay.get(deps) ?? new Map<string, number>();
  underWay.set(deps, known);
  return known;
}
