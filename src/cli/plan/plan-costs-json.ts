import { formatCredits } from '../../domain/money.js';
import { type CostTally, expectedNano } from './plan-tally.js';

/** The rows and costs of a plan as JSON. Pure. */

export function rowsJson({ rows, toSubmit, shared, reused, joined, finished, skipped }: CostTally): object {
  return { total: rows, toSubmit, shared, reused, underWay: joined, finished, skipped };
}

/** What nobody knows is null, never 0: with one price unknown there is no upper end, with all of them no lower one. */
export function costJson(cost: CostTally): object {
  const isBounded = cost.unknown === 0;
  const isAnyKnown = isBounded || cost.unknown < cost.toSubmit;
  return {
    low: isAnyKnown ? formatCredits(cost.lowNano) : null,
    expected: isBounded ? formatCredits(expectedNano(cost)) : null,
    worst: isBounded ? formatCredits(cost.worstNano) : null,
    unknownRows: cost.unknown,
    saved: formatCredits(cost.savedNano),
  };
}
