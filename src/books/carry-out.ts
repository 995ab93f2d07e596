import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { RowRecord } from '../domain/outcome.js';
import { intentOf, wholeRefusal } from '../domain/standing.js';
import { readBatchOrder } from '../home/batch-order.js';
import { statesOf } from '../home/row-standing.js';
import { policyOf, runOrder } from '../home/run-order.js';
import { isTrusted } from '../home/verdicts.js';
import { contradict } from './contradict.js';
import { finishBooks } from './finish-books.js';
import { isGrouped } from './group-labels.js';
import type { Books } from './open-books.js';
import { insist, reviseRow } from './revise.js';

/** What a verdict that comes after a row's end makes of the row. */

interface Given {
  verdict: 'billed' | 'not_billed';
  sentence: string;
}

/** The row was billed, or is unpaid again: then by its batch's policy it is sent anew, else it has failed. */
export async function carryOut(
  books: Books,
  { batch, id }: AttemptRef,
  attempt: Attempt,
  { verdict, sentence }: Given,
): Promise<void> {
  const attempts = await books.ledger.read(batch, id);
  if (isOfOther(await books.records.readRecord(batch, id), attempts, attempt)) return;
  const states = statesOf(attempts);
  if (verdict === 'billed')
    return reviseRow(books, { batch, id }, { revision: 'billed', sentence, seenStates: states });
  const intent = intentOf(attempt);
  const isRefused = wholeRefusal(attempt) !== undefined;
  const goesOn = intent !== undefined && !isRefused && (await maySendAgain(books, batch));
  // It fails from now on: a retry that was ordered before did not mean it, nor did a person see what it would cost.
  const under = defined({ endedUnder: (await readBatchOrder(books.home, batch))?.retry?.id });
  // A record that has not seen the last state is outdone by it.
  const seenStates = goesOn ? states - 1 : states;
  await reviseRow(books, { batch, id }, { revision: 'unbilled', sentence, seenStates, ...under });
  if (goesOn) await tellGoesOn(books, { batch, id }, intent);
}

/** The row was rendered with other values since, and its record tells of that attempt. */
function isOfOther(record: RowRecord | undefined, attempts: Attempt[], attempt: Attempt): boolean {
  const isTold = (one: Attempt): boolean => intentOf(one)?.rowHash === record?.rowHash;
  return record !== undefined && !isTold(attempt) && attempts.some((one) => one.n > attempt.n && isTold(one));
}

/** A batch that has ended finds the row at its next order. */
async function tellGoesOn(
  { messenger }: Books,
  { batch, id }: { batch: string; id: string },
  { generation, part, index, kind }: Intent,
): Promise<void> {
  const row = { batch, generation, part, index, id, kind };
  await insist(() => messenger.reopen({ generation, rows: 0, row }));
}

async function maySendAgain(books: Books, batch: string): Promise<boolean> {
  const [policy, { ends }, trusted] = await Promise.all([
    policyOf(books, batch),
    runOrder(books, batch, 'unsaid'),
    isTrusted(books.home),
  ]);
  return policy !== 'hold' && ends === undefined && trusted;
}

/**
 * A process that died between a verdict and the record of its row: whoever looks next carries it out. True when there
 * was something left; can be repeated.
 */
export async function finishVerdict(books: Books, ref: AttemptRef, attempt: Attempt): Promise<boolean> {
  const last = attempt.states.at(-1);
  if (last?.state !== 'verdict' || last.verdict === 'undecided') return false;
  const { verdict, sentence } = last;
  const record = await books.records.readRecord(ref.batch, ref.id);
  const attempts = await books.ledger.read(ref.batch, ref.id);
  if (record?.seenStates === undefined || record.seenStates >= statesOf(attempts)) return false;
  const isLast = attempts.at(-1)?.n === ref.n;
  const before = attempt.states.findLast((state) => state.state === 'verdict' && state !== last);
  if (verdict === 'billed' && before?.state === 'verdict' && before.verdict === 'not_billed') {
    // A record that tells of it was corrected, or a person has looked since.
    const isUntold = isLast
      ? record.reasonCode === 'answer_lost_unbilled'
      : !record.flags.includes('possibly_paid_twice');
    if (!isUntold || (isLast && isGrouped(attempt))) return false;
    await finishBooks(books, ref, attempt);
    await contradict(books, ref, attempt, sentence);
    return true;
  }
  const isUndecided = record.reasonCode === 'answer_lost_undecided';
  if (isLast && verdict === 'not_billed' && record.reasonCode === 'answer_lost_unbilled') {
    const [intent, [isOpen]] = [intentOf(attempt), await books.messenger.areOpen([ref])];
    // The word that it goes on was lost on its way to the batch.
    if (intent && !isOpen && (await maySendAgain(books, ref.batch))) await tellGoesOn(books, ref, intent);
    return false;
  }
  if (!isLast || !(isUndecided || (verdict === 'not_billed' && record.status === 'lost_paid'))) return false;
  await finishBooks(books, ref, attempt);
  if (verdict === 'not_billed') await books.ledger.close(ref);
  await carryOut(books, ref, attempt, { verdict, sentence });
  return true;
}
