import type { Json } from '../domain/json.js';
import type { CreditsNano, CreditsRange } from '../domain/money.js';
import type { MeasuredPrice } from '../domain/price.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Row } from '../domain/row.js';
import { pricedCells } from './priced-cells.js';

/** Prices that were measured from the balance, and the rows that they hold for. Pure. */

type Facts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

/** The oldest measured prices beyond this are forgotten. */
const KEPT_MAX = 500;

/** What a row's price can depend on; seconds and tokens of the finished clip count where the request leaves them open. */
export function cellsOf(row: Row, facts: Facts): Record<string, Json> {
  const cells = Object.entries(pricedCells(row)).filter(([, value]) => value !== undefined);
  const { seconds } = pricedCells(row);
  const told = {
    ...(seconds === undefined && facts.billedSeconds !== undefined ? { billedSeconds: facts.billedSeconds } : {}),
    ...(facts.billedTokens === undefined ? {} : { billedTokens: facts.billedTokens }),
  };
  return { ...Object.fromEntries(cells), ...told };
}

/** Enters a charge that was seen alone. Another amount than before starts anew: prices change. */
export function addMeasurement(
  prices: MeasuredPrice[],
  seen: Omit<MeasuredPrice, 'times' | 'firstAtMs' | 'lastAtMs'> & { atMs: number },
): MeasuredPrice[] {
  const { atMs, ...fresh } = seen;
  const known = prices.find((one) => isSamePrice(one, seen));
  const others = prices.filter((one) => one !== known);
  const isSame = known !== undefined && listNano(known) === listNano(fresh);
  const entry: MeasuredPrice = isSame
    ? { ...known, lastAtMs: atMs, times: known.times + 1, exclusive: known.exclusive || fresh.exclusive }
    : { ...fresh, firstAtMs: atMs, lastAtMs: atMs, times: 1 };
  return [...others, entry].slice(-KEPT_MAX);
}

/**
 * What a row costs by what was measured, at a discount; null where nothing was. An account that others may use counts
 * once the same amount was seen twice.
 */
export function measuredCost(
  prices: readonly MeasuredPrice[],
  row: Row,
  discountPpb: number,
  facts: Facts = {},
): CreditsRange | null {
  const cells = cellsOf(row, facts);
  const known = prices.find((one) => isSamePrice(one, { kind: row.kind, cells }));
  if (!known || !(known.exclusive || known.times > 1)) return null;
  const nano = known.multiplierPpb === discountPpb ? known.paidNano : Math.round((listNano(known) / 1e9) * discountPpb);
  return { lo: nano, hi: nano };
}

function isSamePrice(a: Pick<MeasuredPrice, 'kind' | 'cells'>, b: Pick<MeasuredPrice, 'kind' | 'cells'>): boolean {
  return a.kind === b.kind && textOf(a.cells) === textOf(b.cells);
}

function textOf(cells: Record<string, Json>): string {
  return JSON.stringify(Object.entries(cells).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function listNano({ paidNano, multiplierPpb }: Pick<MeasuredPrice, 'paidNano' | 'multiplierPpb'>): CreditsNano {
  return Math.round((paidNano / multiplierPpb) * 1e9);
}
