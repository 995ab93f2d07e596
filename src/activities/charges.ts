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

/**
 * Enters an attempt whose answer is lost for good. What was reserved for it can come back until it cannot run any
 * more, so until then, and for other cases, its cost is anything up to its price; only a synchronous bill is final.
 */
export async function bookLost(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  lost: { claimedAtMs: number; endedAtMs: number; verdict: 'billed' | 'undecided'; expected: CreditsRange | null },
): Promise<void> {
  const { expected, verdict } = lost;
  const isFinal = verdict === 'billed' && adapter.flow === 'sync';
  const cost = { lo: isFinal ? (expected?.lo ?? 0) : 0, hi: expected?.hi ?? null };
  await book(deps, row.kind, ref, lost, cost, cost.hi);
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
