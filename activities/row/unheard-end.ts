import type { RowRef } from '../../src/contract/workflows.js';
import type { Attempt } from '../../src/domain/attempt.js';
import { endedReason, FAILED_BY, type ReasonCode } from '../../src/domain/failure.js';
import { refusalOf, standingOf } from '../../src/domain/standing.js';
import { readBatchOrder } from '../../src/home/batch-order.js';
import { standsFor, statesOf } from '../../src/home/row-standing.js';
import { isTrusted } from '../../src/home/verdicts.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Why nothing more is sent of a row whose job was gone before it could record the end that its last attempt came to:
 * terminated, or with a server whose data are lost. Whoever takes the row over only sees that it may be sent.
 */
export async function unheardEnd(
  deps: Dependencies,
  { batch, id }: Pick<RowRef, 'batch' | 'id'>,
  hash: string,
  earlier: readonly Attempt[],
): Promise<ReasonCode | undefined> {
  const own = earlier.filter((attempt) => standsFor(attempt, { hash, mayRerun: true }));
  const last = earlier.at(-1);
  const standing = last && own.includes(last) ? standingOf(last) : undefined;
  if (last === undefined || (standing !== 'refused' && standing !== 'not_billed' && standing !== 'ended'))
    return undefined;
  const record = await deps.records.readRecord(batch, id);
  const states = statesOf([...earlier]);
  // Its end is recorded: an order brought it here.
  if (record !== undefined && (record.seenStates ?? states) === states) return undefined;
  const state = last.states.at(-1);
  if (state?.state === 'refused') return FAILED_BY[state.next];
  if (refusalOf(last)) return FAILED_BY.fail_row;
  const order = await readBatchOrder(deps.home, batch);
  // One that cannot be read holds the row back, and ends it by no policy.
  if (order === undefined || order.isDamaged) return undefined;
  const { policy } = order;
  if (standing === 'ended') {
    const since = own.filter(({ states: [claim] }) => (claim?.atMs ?? 0) >= (record?.finishedAtMs ?? 0));
    const failures = since.filter((attempt) => standingOf(attempt) === 'ended').length;
    return failures > policy.retries && state?.state === 'ended' ? endedReason(state) : undefined;
  }
  if (state?.state === 'verdict' && state.byPerson) return undefined;
  const isHeld = policy.ambiguity === 'hold' || !(await isTrusted(deps.home));
  return isHeld ? 'answer_lost_unbilled' : undefined;
}
