import type { SubmitResult } from '../contract/activities.js';
import type { RowRef } from '../contract/workflows.js';
import { type Attempt, allowsAnother, standingOf } from '../domain/attempt.js';
import { isRerunOrdered } from '../store/batch-marks.js';
import type { Dependencies } from './dependencies.js';
import { type RowInForce, rowInForce } from './row-in-force.js';
import { standsFor } from './row-letter.js';
import { resultOf } from './submit-result.js';

/** What keeps a row from being sent: its own earlier attempts, and a manifest that was changed meanwhile. */

/** The ledger's guard: nothing is sent over a claim, nor while an earlier attempt may cost. */
export async function standingResult(
  deps: Dependencies,
  attempts: Attempt[],
  { batch, generation }: RowRef,
  hash: string,
  n: number,
): Promise<SubmitResult | undefined> {
  const same = attempts.find((attempt) => attempt.n === n);
  if (same) return resultOf(same);
  if (attempts.length === 0) return undefined;
  const content = { hash, mayRerun: await isRerunOrdered(deps.home, batch, generation) };
  const open = attempts.find((attempt) => standsFor(attempt, content) && !allowsAnother(standingOf(attempt)));
  return open && resultOf(open);
}

/** Set when the manifest of the batch was changed since this job was started, and the row with it. */
export async function replacement(deps: Dependencies, own: RowInForce): Promise<SubmitResult | undefined> {
  const now = await rowInForce(deps.rows, own);
  if (now?.row.hash === own.row.hash) return undefined;
  // A row of another kind needs another slot, one that shares a render needs none: the batch opens those anew.
  const isAlike = now !== undefined && now.row.kind === own.row.kind && now.row.shares === undefined;
  return isAlike ? { outcome: 'replaced', row: now.ref } : { outcome: 'not_sent', reason: 'row_replaced' };
}
