import { insist } from '../../src/books/revise.js';
import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import type { Row } from '../../src/domain/row.js';
import { hasJob, intentOf, standingOf } from '../../src/domain/standing.js';
import type { Dependencies } from '../dependencies.js';

/** No case is settled sooner after its claim, ms: an answer that came sooner is not late. */
const LATE_MS = 10_000;

/**
 * The answer of a call that was thought lost, as that of a worker which was cut off. Where its row has ended without it
 * nobody would look before the next run, and what was paid for does not stay at the service for ever: the batch goes on
 * with the row, or its output is fetched beside a batch that has ended.
 */
export async function goOnIfLate(
  { ledger, log, messenger, settings: { account, timeScale }, now }: Dependencies,
  ref: AttemptRef,
  { kind }: Row,
  claimedAtMs: number,
): Promise<void> {
  if (now() - claimedAtMs < LATE_MS / timeScale) return;
  const { batch, id, n } = ref;
  const last = (await ledger.read(batch, id)).at(-1);
  const intent = last && intentOf(last);
  // What is sent again, or was, is told of as a contradiction.
  if (intent === undefined || last?.n !== n || !endedWithout({ ...last, states: last.states.slice(0, -1) })) return;
  const { generation, part, index } = intent;
  const row = { batch, generation, part, index, id, kind };
  try {
    if (await insist(() => messenger.reopen({ generation, rows: 0, row }))) return;
    if (hasJob(standingOf(last))) await insist(() => messenger.confirmLate({ account, row, n, timeScale }));
  } catch (error) {
    // The answer is recorded: the next run finds it.
    log.warn({ ...ref, error: String(error) }, 'an answer that came late could not be told');
  }
}

function endedWithout(before: Attempt): boolean {
  const standing = standingOf(before);
  return standing === 'billed' || standing === 'undecided' || standing === 'given_up';
}
