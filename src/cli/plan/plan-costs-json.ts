import { formatCredits } from '../../domain/money.js';
import { type CostTally, expectedNano } from './plan-tally.js';

/** The rows and costs of a plan as JSON. Pure. */

export function rowsJson({ rows, toSubmit, shared, reused, joined, finished, skipped }: CostTally): object {
  return { total: rows, toSubmit, shared, reused, underWay: joined, finished, skipped };
}

export function costJson(cost: CostTally): object {
  return {
    low: formatCredits(cost.lowNano),
    expected: formatCredits(expectedNano(cost)),
    worst: formatCredits(cost.worstNano),
    unknownRows: cost.unknown,
    saved: formatCredits(cost.savedNano),
  };
}
