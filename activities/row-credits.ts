import type { Attempt, AttemptState } from '../src/domain/attempt.js';
import type { CreditsRange } from '../src/domain/money.js';
import type { RowRecord } from '../src/domain/outcome.js';
import { intentOf, isKnownUnbilled, ownStates, standingOf } from '../src/domain/standing.js';
import { adapterFor } from '../src/kinds/index.js';
import type { Dependencies } from './dependencies.js';
import { actualCredits, withFollowUp } from './prices.js';
import type { RowWork } from './row-work.js';

/** What a row cost over all its attempts: a row that was changed, or paid again, was billed more than once. */

export type ResultState = Extract<AttemptState, { state: 'done' | 'rendered' }>;

/** The last recorded result of an attempt: later ones have fresher URLs. */
export function resultState(attempt: Attempt): ResultState | undefined {
  return resultStates(attempt).at(-1);
}

/** Where the outputs of an attempt can be fetched, as the service said last. */
export function outputUrls(attempt: Attempt): string[] {
  return resultState(attempt)?.outputs.flatMap(({ url }) => url ?? []) ?? [];
}

/** Every recorded result of an attempt; the first says since when its outputs exist. */
export function resultStates(attempt: Attempt): ResultState[] {
  return ownStates(attempt).filter(
    (state): state is ResultState => state.state === 'done' || state.state === 'rendered',
  );
}

/** The sum of the attempts' costs; unknown as soon as one of them is. Known unbilled attempts cost 0. */
export async function creditsOf(
  deps: Dependencies,
  work: RowWork,
  ref: { batch: string },
  attempts: Attempt[],
): Promise<Pick<RowRecord, 'creditsNano' | 'creditsBasis'>> {
  let sumNano = 0;
  for (const attempt of attempts) {
    const cost = await costOf(deps, work, ref, attempt);
    if (cost === null || cost.lo !== cost.hi) return { creditsBasis: 'unknown' };
    sumNano += cost.lo;
  }
  // Beyond all money: some quantity in an answer was absurd.
  if (!Number.isSafeInteger(sumNano)) return { creditsBasis: 'unknown' };
  return { creditsNano: sumNano, creditsBasis: 'price-book' };
}

async function costOf(
  deps: Dependencies,
  work: RowWork,
  ref: { batch: string },
  attempt: Attempt,
): Promise<CreditsRange | null> {
  const standing = standingOf(attempt);
  if (isKnownUnbilled(standing)) return { lo: 0, hi: 0 };
  const result = resultState(attempt);
  const intent = intentOf(attempt);
  if (result) {
    const { row, adapter } = await workOf(deps, work, ref, attempt);
    const between = { fromMs: intent?.atMs ?? result.atMs, toMs: result.atMs };
    return withFollowUp(row, await actualCredits(deps, ref.batch, row, adapter, result.facts, between));
  }
  return wasBilled(attempt) ? (intent?.expected ?? null) : null;
}

/** The row as it was when the attempt was made: a changed row has another price now. */
async function workOf(
  deps: Dependencies,
  work: RowWork,
  { batch }: { batch: string },
  attempt: Attempt,
): Promise<Pick<RowWork, 'row' | 'adapter'>> {
  const intent = intentOf(attempt);
  if (intent === undefined || intent.rowHash === work.row.hash) return work;
  const { row } = await deps.rows.readRow(batch, intent.generation, intent.part, intent.index);
  return { row, adapter: adapterFor(row.kind) };
}

/** Settled as billed, also where a further attempt was made all the same. */
function wasBilled({ states }: Attempt): boolean {
  return states.some(
    (state) =>
      (state.state === 'verdict' && state.verdict === 'billed') ||
      (state.state === 'ruled' && state.ruling === 'billed'),
  );
}
