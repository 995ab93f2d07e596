import type { Attempt, AttemptState } from '../domain/attempt.js';
import { allowsAnother, intentOf, type Standing, standingOf } from '../domain/standing.js';
import { transitionOf } from './attempts.js';

/** What is wrong with the records of one row, by the invariants of the ledger (docs/guarantees.md). Pure. */

/** One record as it lies in the home; without a state when it cannot be read. */
export interface SeenRecord {
  n: number;
  seq: number;
  state: AttemptState | undefined;
}

export interface Breach {
  /** I1 = paid twice without an override, I2 = a state without a claim, I3 = states that do not extend each other. */
  rule: 'I1' | 'I2' | 'I3' | 'index';
  n: number;
  what: string;
}

/** Standings of an attempt that may still be running: each must stand in the open-attempt index. */
const LIVE: readonly Standing[] = ['claimed', 'created', 'open_case'];

export function isLive(attempt: Attempt): boolean {
  return LIVE.includes(standingOf(attempt));
}

/** The attempts of a row from its records, by number. */
export function attemptsOf(records: readonly SeenRecord[]): Attempt[] {
  const attempts = new Map<number, Attempt>();
  for (const { n, state } of records) {
    const attempt = attempts.get(n) ?? { n, states: [], torn: false };
    if (state === undefined) attempt.torn = true;
    else attempt.states.push(state);
    attempts.set(n, attempt);
  }
  return [...attempts.values()].sort((a, b) => a.n - b.n);
}

export function breachesOf(records: readonly SeenRecord[]): Breach[] {
  const attempts = attemptsOf(records);
  return [
    ...gaps(attempts),
    ...attempts.flatMap(({ n }) => brokenChain(records.filter((record) => record.n === n))),
    ...attempts.flatMap((attempt, i) => paidTwice(attempt, attempts.slice(i + 1))),
  ];
}

function gaps(attempts: Attempt[]): Breach[] {
  return attempts.flatMap(({ n }, i) => {
    const before = attempts[i - 1]?.n ?? 0;
    if (n === before + 1) return [];
    return [
      { rule: 'I2' as const, n, what: `attempt ${n} follows attempt ${before}: claims between them are missing` },
    ];
  });
}

function brokenChain(records: SeenRecord[]): Breach[] {
  const sorted = [...records].sort((a, b) => a.seq - b.seq);
  const found: Breach[] = [];
  const states: AttemptState[] = [];
  for (const [i, { n, seq, state }] of sorted.entries()) {
    const say = (rule: Breach['rule'], what: string): unknown => found.push({ rule, n, what });
    if (seq !== i && i === 0) say('I2', 'there are states, and no claim before them');
    else if (seq !== i && sorted[i - 1]?.seq !== seq - 1) say('I3', `record ${seq - 1} is missing`);
    if (state === undefined) say('I3', `record ${seq} cannot be read`);
    else if (seq === 0) {
      if (state.state !== 'intent' && state.state !== 'void')
        say('I2', `the first record is '${state.state}', no claim`);
    } else if (transitionOf(states, state) !== 'follows') {
      say('I3', `'${state.state}' stands after '${states.at(-1)?.state ?? 'intent'}', which it cannot follow`);
    }
    if (state !== undefined) states.push(state);
  }
  return found;
}

/** An earlier attempt that may have cost forbids a later one, unless it was overridden or was for other content. */
function paidTwice(attempt: Attempt, later: Attempt[]): Breach[] {
  const next = later.find((one) => standingOf(one) !== 'void');
  if (next === undefined || everAllowedAnother(attempt)) return [];
  const hashes = [intentOf(attempt)?.rowHash, intentOf(next)?.rowHash];
  if (hashes[0] !== undefined && hashes[1] !== undefined && hashes[0] !== hashes[1] && !isLive(attempt)) return [];
  const what = `attempt ${next.n} was made while attempt ${attempt.n} is '${standingOf(attempt)}', without an override`;
  return [{ rule: 'I1', n: next.n, what }];
}

/** A late state may have changed what was known when the next attempt was made. */
function everAllowedAnother({ n, states, torn }: Attempt): boolean {
  return states.some((_, i) => allowsAnother(standingOf({ n, states: states.slice(0, i + 1), torn })));
}
