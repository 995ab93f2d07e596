import { type Attempt, type AttemptRef, allowsAnother, standingOf } from '../domain/attempt.js';
import { decodeJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { attemptStateSchema } from './attempt-schema.js';
import { type HomeKeys, parseAttemptName } from './home-keys.js';

/** Reads the records of a row's attempts. One that cannot be read marks its attempt as torn and is never replaced. */

const READ_WIDTH = 16;

export interface LoadedAttempt extends Attempt {
  /** The number that the next record takes. */
  nextSeq: number;
}

/** All attempts of a row, by number; with `n`, that one alone. */
export async function loadAttempts(
  store: Store,
  keys: HomeKeys,
  batch: string,
  id: string,
  n?: number,
): Promise<LoadedAttempt[]> {
  const names = (await store.names(keys.attempts(batch, id)))
    .flatMap((name) => parseAttemptName(name) ?? [])
    .filter((found) => n === undefined || found.n === n)
    .sort((a, b) => a.n - b.n || a.seq - b.seq);
  const states = await parallel(names, READ_WIDTH, async (found) => {
    const bytes = await store.get(keys.attempt({ batch, id, n: found.n }, found.seq));
    return bytes === undefined ? undefined : decodeJson(attemptStateSchema, bytes);
  });
  const attempts = new Map<number, LoadedAttempt>();
  for (const [i, name] of names.entries()) {
    const attempt = attempts.get(name.n) ?? { n: name.n, states: [], torn: false, nextSeq: 0 };
    const state = states[i];
    if (state === undefined) tear(attempt);
    else attempt.states.push(state);
    attempt.nextSeq = name.seq + 1;
    attempts.set(name.n, attempt);
  }
  return [...attempts.values()];
}

/**
 * A record that cannot be read may be a late answer, or a newer callsheet's word: where the last readable one says that
 * the attempt costs nothing, it is a case again.
 */
function tear(attempt: LoadedAttempt): void {
  attempt.torn = true;
  const last = attempt.states.at(-1);
  if (last === undefined || !allowsAnother(standingOf(attempt))) return;
  const evidence = { rule: 'T12', message: 'a later record of this attempt cannot be read' };
  attempt.states.push({ state: 'unknown', atMs: last.atMs, evidence });
}

/** One attempt, undefined when its place is free. */
export async function loadAttempt(store: Store, keys: HomeKeys, ref: AttemptRef): Promise<LoadedAttempt | undefined> {
  return (await loadAttempts(store, keys, ref.batch, ref.id, ref.n))[0];
}
