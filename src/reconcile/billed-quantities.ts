import type { ResultFacts } from '../domain/exchange.js';
import type { Row } from '../domain/row.js';
import { askedOutput } from '../kinds/expected.js';
import { exactly, type Quantities, type Quantity } from '../kinds/fact.js';
import { factsOf } from '../kinds/facts.js';

/** How much of each unit a row is billed for, as far as the request, its local files and its result tell. Pure. */

export type BilledFacts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

/** Everything that the documents bill for a row; `facts` are what only the finished clip tells. */
export function billedQuantities(row: Row, facts: BilledFacts = {}): Quantities {
  return {
    request: exactly(1),
    image: exactly(1),
    'reference-second': exactly(0),
    'reference-image': exactly(row.media.reference_images?.length ?? 0),
    ...factsOf(row.kind).billed?.(row, askedOutput(row)),
    ...(facts.billedSeconds === undefined ? {} : { second: exactly(facts.billedSeconds) }),
    ...(facts.billedTokens === undefined ? {} : { 'million-tokens': exactly(facts.billedTokens / 1e6) }),
  };
}

export function isExact({ lo, hi }: Quantity): boolean {
  return lo === hi;
}
