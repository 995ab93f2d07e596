import type { Case, Reading } from './evidence.js';
import { explain, type Look } from './explain.js';
import type { IndexedEvidence } from './movement-index.js';
import { showsAllUntil } from './residual.js';

/** Two looks at the balance that say the same. */
export interface Two {
  first: Look;
  second: Look;
}

/**
 * Two looks past the cases' time, far enough apart, that say the same with nothing else in between; the second must say
 * so without the help of any other such reading.
 */
export function firstOfTwo(
  evidence: IndexedEvidence,
  looks: Look[],
  cases: Case[],
  says: (look: Look) => boolean,
): Two | undefined {
  const isPast = (at: Reading): boolean =>
    cases.every(({ t0Ms, dueAfterMs }) => showsAllUntil(at, t0Ms + dueAfterMs, evidence.lambdaMs));
  let first: Look | undefined;
  for (const look of looks.filter(({ at }) => isPast(at))) {
    if (!says(look)) first = undefined;
    else if (first === undefined || look.equalsBilled.least !== first.equalsBilled.least) first = look;
    else if (look.at.askedMs - first.at.askedMs >= evidence.apartMs) {
      const readings = evidence.readings.filter((at) => at === look.at || !isPast(at));
      const alone = explain({ ...evidence, readings }).at(-1);
      if (alone && says(alone) && alone.equalsBilled.least === look.equalsBilled.least) return { first, second: look };
    }
  }
  return undefined;
}

export function timesOf({ first, second }: Two): { goneMs: number; restsOnMs: number } {
  return { goneMs: first.at.atMs, restsOnMs: second.at.atMs };
}
