import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { contradictedPrice, type KnownPrices } from '../../books/prices/row-price.js';
import type { Kind } from '../../domain/kind.js';
import { type CreditsRange, formatCredits } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { amount } from '../views/counts.js';

/** Configured prices of a plan that the balance has shown to be wrong, by kind: the first row's, and how many rows. */
export type ContradictedPrices = Map<Kind, { rows: number; configured: CreditsRange; measured: CreditsRange }>;

/** Counts the row where its two prices, both without a discount, contradict each other. */
export function noteContradiction(found: ContradictedPrices, row: Row, prices: KnownPrices): void {
  const contradicted = contradictedPrice(row, prices, LIST_PRICE_PPB);
  if (contradicted === undefined) return;
  const known = found.get(row.kind);
  if (known === undefined) found.set(row.kind, { rows: 1, ...contradicted });
  else known.rows += 1;
}

/** One sentence for each kind. */
export function contradictionLines(found: ContradictedPrices): string[] {
  return [...found].map(
    ([kind, { rows, configured, measured }]) =>
      `the configured price of ${kind} (${amount(rows, 'row')}) is not what was charged: ${text(configured)} configured, ` +
      `${text(measured)} measured, without discount; the higher one bounds the budget. \`callsheet prices\` shows both`,
  );
}

function text({ lo, hi }: CreditsRange): string {
  if (hi === null) return `${formatCredits(lo)} or more`;
  return lo === hi ? formatCredits(lo) : `${formatCredits(lo)} to ${formatCredits(hi)}`;
}
