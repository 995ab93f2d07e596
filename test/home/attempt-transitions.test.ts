import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/domain/attempt.js';
import { isKnownUnbilled, standingOf } from '../../src/domain/standing.js';
import { type StateWord, TRANSITIONS, transitionOf } from '../../src/home/attempts.js';
import { states } from './support/examples.js';

const WORDS = Object.keys(TRANSITIONS) as StateWord[];

// `+` follows and stands, `.` adds nothing, blank contradicts. Columns are the state to append.
const TABLE = `
              intent void refused created done created_lost unknown verdict attached ruled overridden rendered ended
intent          .           +       +      +        +           +
void                  .
refused                     .                       .           .       .
created                             .               .           .       .       +       +       +        +       +
done                                       .        .           .       .                       +
created_lost                +       +      +        .           .       +       +       +       +
unknown                     +       +      +        +           .       +       +       +       +
verdict                     +       +      +        .           .       .       +       +       +
attached                            +               .           .       .       .       +       +        +       +
ruled                       +       +      +        .           .       .       +       .       +        +       +
overridden                  +       +      +        .           .       .       +       +       .        +       +
rendered                                            .           .       .                       +        .        +
ended                                               .           .       .                                        .
`;

function expectedOf(last: StateWord, next: StateWord): string {
  const [header = '', ...lines] = TABLE.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => one.startsWith(`${last} `)) ?? '';
  const start = header.indexOf(` ${next} `) >= 0 ? header.indexOf(` ${next} `) : header.indexOf(` ${next}`);
  const cell = line.slice(start, start + next.length + 2).trim();
  return { '+': 'follows', '.': 'adds_nothing', '': 'contradicts' }[cell] ?? `not readable: ${cell}`;
}

describe('I3: what may follow in the ledger', () => {
  test.each(WORDS.flatMap((last) => WORDS.map((next) => [last, next] as const)))('%s, then %s', (last, next) => {
    expect(transitionOf([states[last]], states[next])).toBe(expectedOf(last, next));
  });

  test('a state that differs from the last of its word: another verdict and fresh URLs follow, another handle never', () => {
    const verdict = { ...states.verdict, verdict: 'not_billed' as const };
    const rendered = { ...states.rendered, outputs: [{ url: 'https://cdn.example/fresh.mp4' }] };
    expect(transitionOf([states.verdict], verdict)).toBe('follows');
    expect(transitionOf([states.rendered], rendered)).toBe('follows');
    expect(transitionOf([states.intent, states.created], { ...states.created, handle: 'job/2' })).toBe('contradicts');
  });

  test('the same state at another time is the same state', () => {
    expect(transitionOf([states.created], { ...states.created, atMs: 99 })).toBe('adds_nothing');
  });

  test('a state that stood before and was outgrown adds nothing when it comes again', () => {
    expect(transitionOf([states.intent, states.created, states.rendered], states.created)).toBe('adds_nothing');
  });

  test('URLs that come back after others stand again', () => {
    const fresh = { ...states.rendered, outputs: [{ url: 'https://cdn.example/fresh.mp4' }] };
    expect(transitionOf([states.created, states.rendered, fresh], states.rendered)).toBe('follows');
  });

  test('3-R5: what was rendered and is gone was billed: no new attempt is free, a person may still pay for one', () => {
    const gone = [states.intent, states.created, states.rendered, states.ended];
    expect(standingOf({ n: 1, states: gone, torn: false })).toBe('rendered');
    expect(transitionOf(gone, states.overridden)).toBe('follows');
    expect(transitionOf([states.intent, states.created, states.ended], states.overridden)).toBe('contradicts');
  });

  test("a person's order to pay again is a record each time that it is given, what a policy grants is granted once", () => {
    const policy = { ...states.overridden, cause: 'always' as const, by: { who: 'policy' } };
    const later = { ...states.overridden, atMs: 99 };
    expect(transitionOf([policy], states.overridden)).toBe('follows');
    expect(transitionOf([states.overridden], later)).toBe('follows');
    // The same record: its writer repeats itself after an answer of the store was lost.
    expect(transitionOf([states.overridden], states.overridden)).toBe('adds_nothing');
    expect(transitionOf([states.overridden], policy)).toBe('adds_nothing');
  });

  test('TS: a lost answer that comes late and names its output tells more than that it was lost', () => {
    const named = {
      ...states.unknown,
      evidence: { ...states.unknown.evidence, outputUrl: 'https://cdn.example/a.png' },
    };
    expect(transitionOf([states.unknown], named)).toBe('follows');
    expect(transitionOf([named], states.unknown)).toBe('adds_nothing');
    expect(transitionOf([named], named)).toBe('adds_nothing');
  });

  test('a claim that cannot be read takes what a claim takes', () => {
    expect(transitionOf([], states.created)).toBe('follows');
    expect(transitionOf([], states.verdict)).toBe('contradicts');
  });

  test('no state that is appended turns a known cost into an unknown one or an attempt back into a claim', () => {
    for (const last of WORDS) {
      for (const next of TRANSITIONS[last].follows) {
        const before: Attempt = { n: 1, states: [states[last]], torn: false };
        const after: Attempt = { n: 1, states: [states[last], states[next]], torn: false };
        expect(standingOf(after)).not.toBe('claimed');
        if (isKnownUnbilled(standingOf(before))) expect([last, next]).toEqual(['only a verdict may change', next]);
      }
    }
  });
});
