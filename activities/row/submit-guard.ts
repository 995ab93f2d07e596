import type { SubmitResult } from '../../src/contract/attempts.js';
import type { RowRef } from '../../src/contract/workflows.js';
import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import type { ResponseFormat } from '../../src/domain/batch.js';
import { allowsAnother, standingOf } from '../../src/domain/standing.js';
import { isRerun, rerunOrder } from '../../src/home/row-orders.js';
import { standsFor } from '../../src/home/row-standing.js';
import { type RowInForce, type RowWork, rowInForce } from '../../src/home/row-work.js';
import type { Dependencies } from '../dependencies.js';
import type { SaveAtOnce } from '../files/save-at-once.js';
import { readAttempts } from './claims.js';
import { nameAgain } from './contested.js';

/** What keeps a row from being sent: its own earlier attempts, and a manifest that was changed meanwhile. */

/** Attempts of one job that may be found not billed before its row fails. */
const UNBILLED_MAX = 3;

/** The ledger's guard: nothing is sent over a claim, nor while an earlier attempt may cost. */
export async function standingResult(
  deps: Dependencies,
  attempts: Attempt[],
  { batch, generation, id }: RowRef,
  hash: string,
  n: number,
): Promise<SubmitResult | undefined> {
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  const content = { hash, mayRerun: isRerun(await rerunOrder(deps.home, batch, generation), id) };
  const same = attempts.find((attempt) => attempt.n === n);
  if (same && standsFor(same, content)) return resultOf(deps, { batch, id, n }, same);
  const open = attempts.find((attempt) => standsFor(attempt, content) && !allowsAnother(standingOf(attempt)));
  if (open) return resultOf(deps, { batch, id, n: open.n }, open);
  // The number was given to other content of the row: this one's attempt comes after all of those.
  return same && { outcome: 'standing', n: last.n, standing: 'void' };
}

/** What became known of earlier attempts while the turn was waited for: a late state wins. */
export async function lateStanding(
  deps: Dependencies,
  row: RowRef,
  hash: string,
  n: number,
): Promise<SubmitResult | undefined> {
  return n === 1 ? undefined : standingResult(deps, await readAttempts(deps, { ...row, n }), row, hash, n);
}

/** Set when the manifest of the batch was changed since this job was started, and the row with it. */
export async function replacement(deps: Dependencies, own: RowInForce): Promise<SubmitResult | undefined> {
  const now = await rowInForce(deps.rows, own);
  if (now?.row.hash === own.row.hash) return undefined;
  // A row of another kind needs another slot, one that shares a render needs none: the batch opens those anew.
  const isAlike = now !== undefined && now.row.kind === own.row.kind && now.row.shares === undefined;
  return isAlike ? { outcome: 'replaced', row: now.ref } : { outcome: 'not_sent', reason: 'row_replaced' };
}

/** Found not billed this often since its job began, a row is not sent again by itself. */
export function isGivenUp(earlier: Attempt[], sinceMs: number): boolean {
  const unbilled = earlier.filter((attempt) => standingOf(attempt) === 'not_billed');
  return unbilled.filter((attempt) => (attempt.states[0]?.atMs ?? 0) >= sinceMs).length >= UNBILLED_MAX;
}

/** What was too large to be returned as bytes is asked for by URL from then on. */
export function formatOf({ row, options }: RowWork, earlier: Attempt[]): ResponseFormat {
  const wasTooLarge = earlier.some((attempt) => {
    const last = attempt.states.at(-1);
    return (
      standsFor(attempt, { hash: row.hash, mayRerun: true }) &&
      last?.state === 'refused' &&
      last.next === 'retry_as_url'
    );
  });
  return wasTooLarge ? 'url' : options.responseFormat;
}

/** What an attempt in the ledger means for its job, as if its submit had just returned. */
export async function resultOf(deps: Dependencies, ref: AttemptRef, attempt: Attempt): Promise<SubmitResult> {
  const isAnswered = ['created', 'done'].includes(standingOf(attempt));
  if (!isAnswered || (await nameAgain(deps, ref, attempt))) return toResult(attempt);
  // Its answer was another attempt's: the ledger says so by now.
  return toResult((await deps.ledger.readAttempt(ref)) ?? attempt);
}

/** A row whose output came with the answer may have ended with it; a slot that is not given back yet goes first. */
export async function withOutput(save: SaveAtOnce, row: RowRef, sent: SubmitResult): Promise<SubmitResult> {
  if (sent.outcome !== 'standing' || sent.standing !== 'done') return sent;
  const { n, released } = sent;
  if (released !== true) return sent;
  const status = await save({ row, n });
  return status === undefined ? sent : { outcome: 'ended', status, released };
}

function toResult(attempt: Attempt): SubmitResult {
  const last = attempt.states.at(-1);
  if (last?.state === 'refused') {
    const { next, retryAfterMs } = last;
    return { outcome: 'refused', n: attempt.n, next, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const standing = standingOf(attempt);
  const byPerson = last?.state === 'verdict' && last.byPerson ? { byPerson: true as const } : {};
  return { outcome: 'standing', n: attempt.n, standing: standing === 'refused' ? 'claimed' : standing, ...byPerson };
}
