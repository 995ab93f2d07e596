import { REASONS } from '../../domain/failure.js';
import { needsPerson } from '../../domain/outcome.js';
import { type Standing, standingOf } from '../../domain/standing.js';
import type { CaseRow } from './case-row.js';

/** Where a row stands, in one sentence: a healthy one is not told as a lost answer. Pure. */
export function standingText({ record, attempts }: Pick<CaseRow, 'record' | 'attempts'>): string {
  const last = attempts.at(-1);
  if (record === undefined) return last === undefined ? UNDER_WAY.void : UNDER_WAY[standingOf(last)];
  const meaning = record.reasonCode && REASONS[record.reasonCode].meaning;
  if (record.status === 'done') return 'It is done: its output is stored, and nothing is left to settle.';
  return meaning ?? 'The reason is not recorded.';
}

/** True where money may have been paid for nothing: a person, or the credits check, has to find out. */
export function isCase({ record, attempts }: Pick<CaseRow, 'record' | 'attempts'>): boolean {
  if (record !== undefined) return needsPerson(record);
  const last = attempts.at(-1);
  return last !== undefined && CASES.includes(standingOf(last));
}

const CASES: readonly Standing[] = ['open_case', 'billed', 'undecided'];

const WAITS = 'It waits for its next attempt; what went before it was not billed.';
const RULED = 'It is settled, and its row ends as soon as the worker has taken that in.';
const FETCHED = 'It was rendered, and its output is being fetched.';

const UNDER_WAY: Readonly<Record<Standing, string>> = {
  void: 'It waits for its first submit.',
  claimed: 'Its submit is under way.',
  refused: WAITS,
  not_billed: WAITS,
  ended: WAITS,
  overridden: 'It waits to be submitted again, as it was ordered.',
  created: 'The service accepted it and renders it.',
  rendered: FETCHED,
  done: FETCHED,
  open_case: 'The answer to its submit was lost; the credits check goes on.',
  billed: RULED,
  undecided: RULED,
  given_up: RULED,
  written_off: RULED,
};
