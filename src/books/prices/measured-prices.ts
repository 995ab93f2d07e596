import type { Json } from '../../domain/json.js';
import { BALANCE_TOLERANCE_NANO, type CreditsNano, type CreditsRange } from '../../domain/money.js';
import type { MeasuredPrice } from '../../domain/price.js';
import type { Row } from '../../domain/row.js';
import type { Quantity } from '../../kinds/fact.js';
import { factsOf } from '../../kinds/facts.js';
import type { Interval } from '../check/interval.js';
import {
  type BilledFacts,
  billedQuantities,
  discounted,
  discountedRange,
  isExact,
  keepable,
  LIST_PRICE_PPB,
  rateCells,
  widest,
} from './price-book.js';

/** Prices that were measured from the balance, and the rows that they hold for. Pure. */

/** The oldest measured prices beyond this are forgotten. */
const KEPT_MAX = 500;
/** Of one rate, measured for outputs of different lengths, the oldest beyond this are forgotten. */
const LENGTHS_KEPT_MAX = 10;
/** A balance's inaccuracy, times the documented span of lengths: clips have 1 to 8 seconds. */
const SCALED_TOLERANCE_NANO: CreditsNano = 8 * BALANCE_TOLERANCE_NANO;

/**
 * What the price of a row depends on, as far as it is known: the rate, how many files of which sort go in, and every
 * quantity that the row, its local files or its result tell. Of a length that is shown beside the one that was asked for
 * a plan knows the latter.
 */
export function cellsOf(row: Row, { shownSeconds: _, ...facts }: BilledFacts): Record<string, Json> {
  const rate = Object.entries(rateCells(row)).filter(([, value]) => value !== undefined);
  const inputs = Object.entries(row.media).map(([column, { length }]) => [`${column} files`, length] as const);
  const known = Object.entries(billedQuantities(row, facts)).filter(([, quantity]) => isExact(quantity));
  return {
    ...Object.fromEntries(rate),
    ...Object.fromEntries(inputs.filter(([, files]) => files > 0)),
    ...(Array.isArray(row.cells.elements) ? { elements: row.cells.elements.length } : {}),
    ...Object.fromEntries(known.flatMap(([unit, { lo }]) => (lo === 0 || unit === 'request' ? [] : [[unit, lo]]))),
  };
}

/**
 * Enters a charge that was seen alone. Another amount than before starts anew: prices change. What a rounded balance
 * told narrows what it told before.
 */
export function addMeasurement(
  prices: MeasuredPrice[],
  seen: Omit<MeasuredPrice, 'times' | 'firstAtMs' | 'lastAtMs'> & { atMs: number },
): MeasuredPrice[] {
  const { atMs, ...fresh } = seen;
  const known = prices.find((one) => isSamePrice(one, seen));
  const lengths = prices.filter((one) => one !== known && isSameRate(one, seen));
  const forgotten = [known, ...lengths.slice(0, -(LENGTHS_KEPT_MAX - 1))];
  const others = prices.filter((one) => !forgotten.includes(one));
  const same = known && narrowed(known, fresh);
  const entry: MeasuredPrice = same
    ? { ...same, lastAtMs: atMs, times: same.times + 1, exclusive: same.exclusive || fresh.exclusive }
    : { ...fresh, firstAtMs: atMs, lastAtMs: atMs, times: 1 };
  return [...others, entry].slice(-KEPT_MAX);
}

/**
 * What a row costs by what was measured, at a discount; null where nothing was. Exact only where nothing that bills is
 * hidden: the length of an output that nobody knows yet makes bounds of it, anything else that is hidden an unknown
 * price. An account that others may use counts once the same amount was seen twice.
 */
export function measuredCost(
  prices: readonly MeasuredPrice[],
  row: Row,
  discountPpb: number,
  facts: BilledFacts = {},
): CreditsRange | null {
  const hidden = hiddenIn(row, facts);
  const seen = { kind: row.kind, cells: cellsOf(row, facts) };
  const usable = prices.filter((one) => one.exclusive || one.times > 1);
  if (hidden === 'nothing') {
    const known = usable.find((one) => isSamePrice(one, seen));
    if (known !== undefined) return paidAt(known, discountPpb);
  }
  const { second } = billedQuantities(row, facts);
  if (hidden === 'something' || second === undefined || !factsOf(row.kind).isBilledByOutput) return null;
  const found = usable.flatMap((one) => (isSameRate(one, seen) ? (scaled(one, second, discountPpb) ?? []) : []));
  return found.length === 0 ? null : found.reduce(widest);
}

/** Something but the length of its output bills, and nothing says how much of it there was. */
export function hidesWhatBills(row: Row, facts: BilledFacts): boolean {
  return hiddenIn(row, facts) === 'something';
}

/** What of a row's price its request, its local files and its result leave open. */
function hiddenIn(row: Row, facts: BilledFacts): 'nothing' | 'length' | 'something' {
  // The fields of such bodies are not documented: any of them may bill.
  const { hasOwnBody, driver: driverFacts } = factsOf(row.kind);
  if (row.extra !== undefined || hasOwnBody) return 'something';
  const driver = driverFacts?.longest(row);
  if (driver !== undefined && driver.most > driver.declared) return 'something';
  const open = Object.entries(billedQuantities(row, facts)).filter(([, quantity]) => !isExact(quantity));
  if (open.length === 0) return 'nothing';
  return open.every(([unit]) => unit === 'second') ? 'length' : 'something';
}

/**
 * A price for another number of seconds; what was read of the balance is not exact, and grows with them. Made without a
 * discount, which is taken off last: a plan, which does so too, cannot be below what a budget reserves.
 */
function scaled(one: MeasuredPrice, { lo, hi }: Quantity, discountPpb: number): CreditsRange | null {
  const seconds = Number(one.cells.second);
  if (!(seconds > 0)) return null;
  const list = listRange(one);
  const within = Math.ceil((SCALED_TOLERANCE_NANO / one.multiplierPpb) * LIST_PRICE_PPB);
  const least = Math.max(0, Math.floor((list.lo / seconds) * lo) - within);
  const most = hi === null ? null : Math.ceil((list.hi / seconds) * hi) + within;
  return keepable(discountedRange({ lo: least, hi: most }, discountPpb));
}

type Subject = Pick<MeasuredPrice, 'kind' | 'cells'>;

function isSamePrice(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && areSame(a.cells, b.cells);
}

/** The same but for the length of the output. */
function isSameRate(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && areSame(a.cells, b.cells, 'second');
}

/** A plan compares each of a million rows with every measured price: nothing is made for it. */
function areSame(a: Subject['cells'], b: Subject['cells'], but?: string): boolean {
  let more = 0;
  for (const name in a) {
    if (name === but) continue;
    if (a[name] !== b[name]) return false;
    more += 1;
  }
  for (const name in b) if (name !== but) more -= 1;
  return more === 0;
}

type Paid = Pick<MeasuredPrice, 'paidNano' | 'withinNano' | 'multiplierPpb'>;

/** Both measurements in one, as exact as they are together; undefined when they cannot be of one price. */
function narrowed(known: MeasuredPrice, fresh: Paid): MeasuredPrice | undefined {
  const [before, now] = [listRange(known), listRange(fresh)];
  const both = { lo: Math.max(before.lo, now.lo), hi: Math.min(before.hi, now.hi) };
  if (both.lo > both.hi) return undefined;
  if (both.lo === before.lo && both.hi === before.hi) return known;
  const paid = atDiscount(both, known.multiplierPpb);
  return { ...known, paidNano: Math.round((paid.lo + paid.hi) / 2), withinNano: Math.ceil((paid.hi - paid.lo) / 2) };
}

function paidAt(one: Paid, discountPpb: number): Interval {
  return one.multiplierPpb === discountPpb ? rangeOf(one) : atDiscount(listRange(one), discountPpb);
}

function rangeOf({ paidNano, withinNano = 0 }: Paid): Interval {
  return { lo: Math.max(0, paidNano - withinNano), hi: paidNano + withinNano };
}

function listRange(one: Paid): Interval {
  const { lo, hi } = rangeOf(one);
  const list = (nano: CreditsNano) => Math.round((nano / one.multiplierPpb) * LIST_PRICE_PPB);
  return { lo: list(lo), hi: list(hi) };
}

function atDiscount({ lo, hi }: Interval, discountPpb: number): Interval {
  return { lo: discounted(lo, discountPpb), hi: discounted(hi, discountPpb) };
}
