import type { AttemptRef } from '../domain/attempt.js';
import type { CreditsNano, CreditsRange } from '../domain/money.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Dependencies } from './dependencies.js';
import { actualCredits, expectedCredits } from './prices.js';
import type { RowWork } from './row-work.js';

/** Enters what a finished attempt cost, so that credits checks of other attempts can explain the balance. */
export async function bookCharge(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  ended: { claimedAtMs: number; endedAtMs: number; facts: ResultFacts },
): Promise<void> {
  const cost = await actualCredits(deps, row, adapter, ended.facts, ended.endedAtMs);
  await book(deps, row.kind, ref, ended, cost ?? { lo: 0, hi: null }, cost?.hi ?? null);
}

/** Enters an attempt that ended unbilled: what was reserved for it comes back. */
export async function bookUnbilled(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  ended: { claimedAtMs: number; endedAtMs: number },
): Promise<void> {
  const expected = await expectedCredits(deps, row, adapter);
  await book(deps, row.kind, ref, ended, { lo: 0, hi: 0 }, expected?.hi ?? null);
}

async function book(
  deps: Dependencies,
  kind: RowWork['row']['kind'],
  ref: AttemptRef,
  ended: { claimedAtMs: number; endedAtMs: number },
  cost: CreditsRange,
  peak: CreditsNano | null,
): Promise<void> {
  await deps.book.append({
    ...ref,
    kind,
    chargedFromMs: ended.claimedAtMs,
    chargedToMs: ended.endedAtMs,
    ...cost,
    peak,
  });
}
