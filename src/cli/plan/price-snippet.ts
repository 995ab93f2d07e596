import type { Kind } from '../../domain/kind.js';
import { factsOf } from '../../kinds/facts.js';

/** Stands for a figure that only the service's price page knows; as a price it is refused. */
const TO_FILL_IN = '?';

/** The `prices` setting for these kinds, to be filled in. */
export function priceSnippet(kinds: readonly Kind[]): { prices: object[] } {
  const prices = kinds.map((kind) => ({
    kind,
    components: [{ unit: factsOf(kind).usualUnit, credits: TO_FILL_IN }],
  }));
  return { prices };
}
