import { REASONS } from '../../domain/failure.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { needsPerson, type RowRecord } from '../../domain/outcome.js';
import { type Standing, standingOf } from '../../domain/standing.js';
import { allBatches, knownBatch } from '../batch/known-batch.js';
import { commandHint, nameWords } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { amount } from '../views/counts.js';
import { formatTable } from '../views/table.js';
import { type CaseRow, caseRows, stakeOf } from './case-row.js';
import { putBackLines } from './put-back.js';

/** Rows that need a person, with the money at stake: for `review list` and the end of a batch. Pure. */
export interface ListedCase {
  batch: string;
  id: string;
  /** `review`, `lost_paid`, or `checking` while the credits check goes on. */
  status: 'review' | 'lost_paid' | 'checking';
  reasonCode: string | undefined;
  reason: string | undefined;
  stakeNano: CreditsNano | null;
}

export interface CaseSum {
  rows: number;
  stakeNano: CreditsNano;
  /** Rows without a known price. */
  unknown: number;
}

export function listedCase(found: Pick<CaseRow, 'batch' | 'record' | 'last'> & { row: { id: string } }): ListedCase {
  const { batch, row, record } = found;
  const { status: ended, reasonCode, reason } = record ?? {};
  const status = ended === 'review' || ended === 'lost_paid' ? ended : 'checking';
  return { batch, id: row.id, status, reasonCode, reason, stakeNano: stakeOf(found) };
}

export function sumOf(cases: Iterable<Pick<ListedCase, 'stakeNano'>>): CaseSum {
  const sum: CaseSum = { rows: 0, stakeNano: 0, unknown: 0 };
  for (const { stakeNano } of cases) {
    sum.rows += 1;
    if (stakeNano === null) sum.unknown += 1;
    else sum.stakeNano += stakeNano;
  }
  return sum;
}

export function stakeText(stakeNano: CreditsNano | null): string {
  return stakeNano === null ? 'unknown' : formatCredits(stakeNano);
}

/** `0.8 credits`, with the rows whose price nobody knows. */
export function sumText({ stakeNano, unknown }: CaseSum): string {
  if (unknown === 0) return `${formatCredits(stakeNano)} credits`;
  return `${formatCredits(stakeNano)} credits and ${amount(unknown, 'row')} of unknown price`;
}

/** What is paid at most: `up to 0.8 credits`. */
export function costText(cost: CaseSum): string {
  return cost.unknown === cost.rows ? 'at a price that nobody knows' : `up to ${sumText(cost)}`;
}

/** Why it needs a person, in a sentence. */
export function reasonSentence({ status, reasonCode }: ListedCase): string {
  if (status === 'checking') return 'The answer to its submit was lost; the credits check goes on.';
  const facts = reasonCode !== undefined && reasonCode in REASONS ? REASONS[reasonCode as keyof typeof REASONS] : null;
  return facts?.meaning ?? 'The reason is not recorded.';
}

export function caseJson({ batch, id, status, reasonCode, reason, stakeNano }: ListedCase): object {
  return {
    batch,
    id,
    status,
    reason_code: reasonCode ?? null,
    reason: reason ?? null,
    at_stake: stakeNano === null ? null : formatCredits(stakeNano),
  };
}

/** Shows every row that needs a person, of one batch or of all. */
export async function listCases(session: Session, batch: string | undefined): Promise<void> {
  const { terminal, config } = session;
  const batches = batch === undefined ? await allBatches(session) : [await knownBatch(session, batch)];
  const cases: ListedCase[] = [];
  const putBack: string[] = [];
  for (const known of batches) {
    const records: (RowRecord | undefined)[] = [];
    for await (const found of caseRows(known)) {
      // What a person ordered of it is recorded: its row ends, or is sent again, by that.
      if (!isCase(found)) continue;
      cases.push(listedCase(found));
      records.push(found.record);
    }
    putBack.push(...(await putBackLines(known, records)));
  }
  const sum = sumOf(cases);
  if (session.isJson) {
    const { rows, stakeNano, unknown } = sum;
    return terminal.json({
      schema: 1,
      account: config.account.name,
      rows: cases.map(caseJson),
      total: { rows, at_stake: formatCredits(stakeNano), unknown_rows: unknown },
    });
  }
  if (cases.length === 0) return terminal.note('no row needs a person');
  for (const line of putBack) terminal.note(line);
  const lines = cases.map((one) => [
    one.batch,
    one.id,
    one.status,
    stakeText(one.stakeNano),
    plain(one.reason ?? reasonSentence(one), 100),
  ]);
  terminal.data(formatTable(lines, { head: ['batch', 'row', 'status', 'at stake', 'why'] }));
  terminal.note(`${amount(sum.rows, 'row needs', 'rows need')} a person; at stake: ${sumText(sum)}`);
  const [first] = cases;
  if (first) terminal.note(`look at one: ${commandHint(session, `review show ${nameWords(first.batch, first.id)}`)}`);
}

/** Where a row stands, in one sentence: a healthy one is not told as a lost answer. Pure. */
export function standingText({ record, last }: Pick<CaseRow, 'record' | 'last'>): string {
  if (record === undefined) return last === undefined ? UNDER_WAY.void : UNDER_WAY[standingOf(last)];
  const meaning = record.reasonCode && REASONS[record.reasonCode].meaning;
  if (record.status === 'done') return 'It is done: its output is stored, and nothing is left to settle.';
  return meaning ?? 'The reason is not recorded.';
}

/** True where money may have been paid for nothing: a person, or the credits check, has to find out. */
export function isCase({ record, last }: Pick<CaseRow, 'record' | 'last'>): boolean {
  if (record !== undefined) return needsPerson(record);
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
