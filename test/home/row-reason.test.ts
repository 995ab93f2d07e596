import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState } from '../../src/domain/attempt.js';
import { flagsOf, reasonText } from '../../src/home/earlier-render.js';

const intent: AttemptState = {
  state: 'intent',
  atMs: 1,
  nonce: 'n',
  rowHash: 'h',
  kind: 'svc/image',
  generation: 'g',
  part: 0,
  index: 0,
  expected: null,
};
const lost: AttemptState = { state: 'unknown', atMs: 2, evidence: { rule: 'T11', message: 'reset' } };
const done: AttemptState = { state: 'done', atMs: 3, outputs: [], facts: {} };
const refused: AttemptState = { state: 'refused', atMs: 3, rule: 'T3', next: 'fail_row', message: 'no' };
const override = (cause: 'person' | 'always' | 'sync'): AttemptState => ({
  state: 'overridden',
  atMs: 3,
  cause,
  by: { who: 'ann', why: 'the deadline' },
});
const UNBILLED: AttemptState = { state: 'ruled', atMs: 3, ruling: 'not_billed', by: { who: 'ann' } };
const created: AttemptState = { state: 'created', atMs: 4, handle: 'h' };
const rendered: AttemptState = { state: 'rendered', atMs: 5, outputs: [], facts: {} };
const ended: AttemptState = { state: 'ended', atMs: 5, word: 'failed', message: 'no' };
const attempts = (...all: AttemptState[][]): Attempt[] =>
  all.map((states, i) => ({ n: i + 1, states: [intent, ...states], torn: false }));

describe('flags of a row that was paid again (I1: the override is on record)', () => {
  it.each<[string, Attempt[], string[]]>([
    ['a person resubmitted it', attempts([lost, override('person')], [done]), ['possibly_paid_twice', 'overridden']],
    ['the policy did', attempts([lost, override('always')], [done]), ['possibly_paid_twice']],
    ['the second attempt was refused', attempts([lost, override('person')], [refused]), []],
    [
      'the second one was refused, the third accepted',
      attempts([lost, override('sync')], [refused], [done]),
      ['possibly_paid_twice'],
    ],
    ['the first turned out to be refused', attempts([lost, override('person'), refused], [done]), ['overridden']],
    ['nothing was sent since', attempts([lost, override('person')]), []],
    ['an ordinary retry', attempts([refused], [done]), []],
    ['a person said that the first was not billed', attempts([lost, UNBILLED], [done]), []],
    ['and its job turned up', attempts([lost, UNBILLED, created], [done]), ['possibly_paid_twice']],
    ['and its output came', attempts([lost, UNBILLED, created, rendered], [done]), ['possibly_paid_twice']],
    ['and its job turned up and failed', attempts([lost, UNBILLED, created, ended], [done]), []],
    ['and its job turned up before it was sent again', attempts([lost, UNBILLED, created, rendered]), []],
  ])('%s', (_, of, flags) => {
    expect(flagsOf(of)).toEqual(flags);
  });
});

it("a person's words are the reason of the row", () => {
  const [first] = attempts([lost, override('person')]);
  expect(first && reasonText(first)).toBe(
    'ann let the row be submitted again although this attempt may have been billed: the deadline',
  );
});
