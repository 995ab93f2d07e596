import { isDeepStrictEqual } from 'node:util';
import type { AttemptState } from '../domain/attempt.js';

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
  overridden: { follows: [...ANSWERS, ...ENDS], addsNothing: ['overridden', ...GUESSES] },
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
  if (last !== undefined && isRepeatedAnswer(last, next)) return 'follows';
  if (rules.follows.includes(next.state)) {
    return last !== undefined && isSameState(last, next) ? 'adds_nothing' : 'follows';
  }
  if (rules.addsNothing.includes(next.state)) return 'adds_nothing';
  return states.some((state) => isSameState(state, next)) ? 'adds_nothing' : 'contradicts';
}

/** What looked like the service's word was an old answer of another attempt (T8): the one thing that takes it back. */
function isRepeatedAnswer(last: AttemptState, next: AttemptState): boolean {
  return ['created', 'done'].includes(last.state) && next.state === 'unknown' && next.evidence.rule === 'T8';
}

/** Equal but for the time at which it was written. */
function isSameState(a: AttemptState, b: AttemptState): boolean {
  return isDeepStrictEqual({ ...a, atMs: 0 }, { ...b, atMs: 0 });
}
