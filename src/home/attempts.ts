import { isDeepStrictEqual } from 'node:util';
import type { Attempt, AttemptRef, AttemptState } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { PollReading } from '../domain/exchange.js';
import { allowsAnother, namesOutput, ownStates, standingOf } from '../domain/standing.js';
import { decodeJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { attemptStateSchema } from './attempt-schema.js';
import type { HomeKeys } from './home-keys.js';
import { parseAttemptName } from './parse-keys.js';

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

/** Which state may follow which in the ledger: knowledge of an attempt only ever grows. */

export type StateWord = AttemptState['state'];

/** What the service itself says of a submit. */
const ANSWERS: StateWord[] = ['created', 'done', 'refused'];
/** How a created job ends. */
const ENDS: StateWord[] = ['rendered', 'ended'];
/** What a person decides, and what a policy decides in a person's name. */
const PERSON: StateWord[] = ['attached', 'ruled', 'overridden'];
/** What is concluded without the service's word: it never outdoes an answer or a person. */
const GUESSES: StateWord[] = ['unknown', 'created_lost', 'verdict'];

/**
 * `follows` = it is appended and stands. `adds_nothing` = the ledger knows as much or more already: not an error,
 * since a verdict or a time-out may be written while the real answer arrives. Every other pair contradicts itself.
 */
export const TRANSITIONS: Readonly<Record<StateWord, { follows: StateWord[]; addsNothing: StateWord[] }>> = {
  intent: { follows: ['refused', 'created', 'done', 'created_lost', 'unknown'], addsNothing: [] },
  void: { follows: [], addsNothing: [] },
  // A created_lost after unknown is the answer itself, cut, coming in late: it may hold a handle.
  unknown: { follows: ['created_lost', 'verdict', ...ANSWERS, ...PERSON], addsNothing: ['unknown'] },
  created_lost: { follows: ['verdict', ...ANSWERS, ...PERSON], addsNothing: ['unknown', 'created_lost'] },
  verdict: { follows: ['verdict', ...ANSWERS, ...PERSON], addsNothing: ['unknown', 'created_lost'] },
  created: { follows: [...ENDS, ...PERSON], addsNothing: GUESSES },
  // The service's own answer may still come, late, after a person gave a handle.
  attached: { follows: ['created', ...ENDS, ...PERSON], addsNothing: GUESSES },
  ruled: { follows: [...ANSWERS, ...ENDS, ...PERSON], addsNothing: GUESSES },
  // What may be paid again is not paid yet: until then a person may decide anew (`isDecidedAnew`).
  overridden: { follows: [...ANSWERS, ...ENDS, 'attached', 'ruled'], addsNothing: ['overridden', ...GUESSES] },
  // Rendered again = fresh URLs from a later poll; ended = the service has nothing of it any more. Paid outputs that are
  // gone can be paid again.
  rendered: { follows: ['rendered', 'ended', 'overridden'], addsNothing: GUESSES },
  refused: { follows: [], addsNothing: GUESSES },
  done: { follows: ['overridden'], addsNothing: GUESSES },
  ended: { follows: [], addsNothing: GUESSES },
};

export type Transition = 'follows' | 'adds_nothing' | 'contradicts';

/** What appending `next` to the states would mean. A claim that cannot be read counts as a claim. */
export function transitionOf(states: readonly AttemptState[], next: AttemptState): Transition {
  const last = states.at(-1);
  const wasRendered = last?.state === 'ended' && states.some(({ state }) => state === 'rendered');
  const rules = TRANSITIONS[wasRendered ? 'rendered' : (last?.state ?? 'intent')];
  if (last !== undefined && [isRepeatedAnswer, isOrderedAgain, namesOutput].some((is) => is(last, next)))
    return 'follows';
  if (rules.follows.includes(next.state)) {
    return last !== undefined && isSameState(last, next) ? 'adds_nothing' : 'follows';
  }
  if (rules.addsNothing.includes(next.state)) return 'adds_nothing';
  return states.some((state) => isSameState(state, next)) ? 'adds_nothing' : 'contradicts';
}

/** What looked like the service's word, or a person's handle, is another attempt's (T8): the one thing that takes it back. */
function isRepeatedAnswer(last: AttemptState, next: AttemptState): boolean {
  return (
    ['created', 'done', 'attached'].includes(last.state) && next.state === 'unknown' && next.evidence.rule === 'T8'
  );
}

/**
 * A person lets a row be paid again that may be already: it was not sent by then, and ended. Each such order opens it
 * again, so each is a record of its own; what a policy grants it grants once.
 */
function isOrderedAgain(last: AttemptState, next: AttemptState): boolean {
  const isAgain = last.state === 'overridden' && next.state === 'overridden' && next.cause === 'person';
  return isAgain && !isDeepStrictEqual(last, next);
}

/**
 * A person's word on an attempt that may be paid again: it holds only as long as no further attempt was claimed, after
 * which that one is what the row's money went into.
 */
export function isDecidedAnew(states: readonly AttemptState[], next: AttemptState): boolean {
  return states.at(-1)?.state === 'overridden' && PERSON.includes(next.state);
}

/** Equal but for the time at which it was written. */
function isSameState(a: AttemptState, b: AttemptState): boolean {
  return isDeepStrictEqual({ ...a, atMs: 0 }, { ...b, atMs: 0 });
}

/** `batch/id/n`. */
export function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}

/** Ids and batch names hold no slash. */
export function refOf(name: string): AttemptRef {
  const [batch = '', id = '', n = ''] = name.split('/');
  return { batch, id, n: Number(n) };
}

export type ResultState = Extract<AttemptState, { state: 'done' | 'rendered' }>;

/** The last recorded result of an attempt: later ones have fresher URLs. */
export function resultState(attempt: Attempt): ResultState | undefined {
  return resultStates(attempt).at(-1);
}

/** Where the outputs of an attempt can be fetched, as the service said last. */
export function outputUrls(attempt: Attempt): string[] {
  return resultState(attempt)?.outputs.flatMap(({ url }) => url ?? []) ?? [];
}

/** Every recorded result of an attempt; the first says since when its outputs exist. */
export function resultStates(attempt: Attempt): ResultState[] {
  return ownStates(attempt).filter(
    (state): state is ResultState => state.state === 'done' || state.state === 'rendered',
  );
}

/**
 * True where the answer is lost, whatever was found or decided of it since, even to pay again: a handle that turns up may
 * still bring the output that was paid for.
 */
export function hasLostAnswer(attempt: Attempt): boolean {
  const last = attempt.states.at(-1)?.state;
  if (last === 'overridden') return resultState(attempt) === undefined;
  return standingOf(attempt) === 'open_case' || last === 'verdict' || last === 'ruled';
}

/** How a job that was accepted came to its end. */
export type EndState = Extract<AttemptState, { state: 'rendered' | 'ended' }>;

/** What the ledger learns of a poll that says terminal. */
export function endStateOf(reading: Extract<PollReading, { reading: 'succeeded' | 'failed' }>, atMs: number): EndState {
  if (reading.reading === 'succeeded') {
    return { state: 'rendered', atMs, outputs: reading.outputs, facts: reading.facts };
  }
  const { word, code, message } = reading;
  return { state: 'ended', atMs, word, message, ...defined({ code }) };
}
