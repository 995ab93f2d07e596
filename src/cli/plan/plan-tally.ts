import { discounted } from '../../books/prices/price-book.js';
import type { Kind } from '../../domain/kind.js';
import type { CreditsNano, CreditsRange } from '../../domain/money.js';
import { noCounts, type Status } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';

/** Adds up what a manifest's rows are and what those that are still to run will cost. Pure. */

/** What running the batch does with a row: nothing, go on with what is under way, or submit it. */
export type RowPlan =
  | { plan: 'finished'; status: Status; creditsNano: CreditsNano | null }
  /** A file that is not the batch's own has its name, and it was never tried: it is left alone. */
  | { plan: 'skipped' }
  | { plan: 'joined' }
  /** Gets a copy of what an identical row renders. */
  | { plan: 'shared' }
  | { plan: 'submit' };

export interface CostTally {
  rows: number;
  finished: number;
  skipped: number;
  /** Not run, since what feeds them brings no output. */
  unfed: number;
  joined: number;
  toSubmit: number;
  /** Rows that get a copy of what an identical row renders, and what rendering them would cost at least. */
  shared: number;
  savedNano: CreditsNano;
  /** Rows for which an earlier render is taken over. */
  reused: number;
  /** Rows to submit although another batch renders the same just now, and what they cost at most. */
  elsewhere: number;
  elsewhereNano: CreditsNano;
  /** Bounds over the rows to submit whose price is known. */
  lowNano: CreditsNano;
  worstNano: CreditsNano;
  /** Rows to submit without a known price or without an upper bound. */
  unknown: number;
}

/** Rows of one kind in one group. */
interface Cell extends CostTally {
  kind: Kind;
  group: string | undefined;
  /** How many of the rows to submit have which list price: each is rounded by itself, as its reservation is. */
  prices: Map<string, { lo: CreditsNano; hi: CreditsNano; rows: number }>;
}

export interface PlanTally {
  cells: Map<string, Cell>;
  /** How the finished rows ended, and what they cost. */
  ended: Record<Status, number>;
  endedNano: CreditsNano;
  endedUnknown: number;
}

export interface PlanCosts {
  total: CostTally;
  byKind: Map<Kind, CostTally>;
  /** By the rows' `group`; rows without one are not here. */
  byGroup: Map<string, CostTally>;
}

export function newPlanTally(): PlanTally {
  return { cells: new Map(), ended: noCounts(), endedNano: 0, endedUnknown: 0 };
}

/** Books one row. `price` is what submitting it costs at list price, null when that is not known. */
export function tallyRow(tally: PlanTally, row: Tallied, plan: RowPlan, price: CreditsRange | null): void {
  const cell = cellOf(tally, row);
  cell.rows += 1;
  if (plan.plan === 'joined') cell.joined += 1;
  if (plan.plan === 'submit') addPrice(cell, price, 1);
  if (plan.plan === 'shared') {
    cell.shared += 1;
    cell.savedNano += price?.lo ?? 0;
  }
  if (plan.plan === 'skipped') {
    cell.skipped += 1;
    tally.ended.skipped += 1;
  }
  if (plan.plan !== 'finished') return;
  cell.finished += 1;
  tally.ended[plan.status] += 1;
  if (plan.creditsNano === null) tally.endedUnknown += 1;
  else tally.endedNano += plan.creditsNano;
}

type Tallied = Pick<Row, 'kind' | 'group'>;

/** A row that was booked to be submitted has an earlier render instead. */
export function tallyReused(tally: PlanTally, row: Tallied, price: CreditsRange | null): void {
  const cell = cellOf(tally, row);
  addPrice(cell, price, -1);
  cell.reused += 1;
}

/** A row that was booked to be submitted is not: what feeds it brings no output, and costs nothing. */
export function tallyUnfed(tally: PlanTally, row: Tallied, price: CreditsRange | null): void {
  const cell = cellOf(tally, row);
  addPrice(cell, price, -1);
  cell.unfed += 1;
}

/** A row to be submitted is rendered in another batch as well just now. */
export function tallyElsewhere(tally: PlanTally, row: Tallied, price: CreditsRange | null): void {
  const cell = cellOf(tally, row);
  cell.elsewhere += 1;
  cell.elsewhereNano += price?.hi ?? 0;
}

function cellOf(tally: PlanTally, { kind, group }: Tallied): Cell {
  const key = `${kind} ${group ?? ''}`;
  const cell = tally.cells.get(key) ?? { kind, group, ...newCostTally(), prices: new Map() };
  tally.cells.set(key, cell);
  return cell;
}

/** The sums, with each kind's discount taken off; `discountPpb` is the part that is paid, in billionths. */
export function planCosts(tally: PlanTally, discountPpb: (kind: Kind) => number): PlanCosts {
  const costs: PlanCosts = { total: newCostTally(), byKind: new Map(), byGroup: new Map() };
  for (const cell of tally.cells.values()) {
    const ppb = discountPpb(cell.kind);
    const paid = (nano: CreditsNano): CreditsNano => discounted(nano, ppb);
    const [savedNano, elsewhereNano] = [paid(cell.savedNano), paid(cell.elsewhereNano)];
    const one: CostTally = { ...cell, ...paidRange(cell, ppb), savedNano, elsewhereNano };
    addTally(costs.total, one);
    addTally(entry(costs.byKind, cell.kind), one);
    if (cell.group !== undefined) addTally(entry(costs.byGroup, cell.group), one);
  }
  return costs;
}

/**
 * What the rows to submit cost at a multiplier. A sum that was rounded once would be below what a budget reserves row by
 * row, so that its last row had no room.
 */
export function paidRange({ prices }: Cell, multiplierPpb: number): Pick<CostTally, 'lowNano' | 'worstNano'> {
  const sum = { lowNano: 0, worstNano: 0 };
  for (const { lo, hi, rows } of prices.values()) {
    sum.lowNano += rows * discounted(lo, multiplierPpb);
    sum.worstNano += rows * discounted(hi, multiplierPpb);
  }
  return sum;
}

/** The middle between the bounds: no better guess is made. */
export function expectedNano(tally: Pick<CostTally, 'lowNano' | 'worstNano'>): CreditsNano {
  return Math.round((tally.lowNano + tally.worstNano) / 2);
}

function addPrice(cell: Cell, price: CreditsRange | null, by: 1 | -1): void {
  cell.toSubmit += by;
  if (price === null || price.hi === null) {
    cell.unknown += by;
    return;
  }
  const { lo, hi } = price;
  cell.lowNano += by * lo;
  cell.worstNano += by * hi;
  const key = `${lo} ${hi}`;
  const known = cell.prices.get(key) ?? { lo, hi, rows: 0 };
  known.rows += by;
  cell.prices.set(key, known);
}

function addTally(sum: CostTally, one: CostTally): void {
  for (const name of Object.keys(sum) as (keyof CostTally)[]) sum[name] += one[name];
}

function entry<Key>(map: Map<Key, CostTally>, key: Key): CostTally {
  const known = map.get(key) ?? newCostTally();
  map.set(key, known);
  return known;
}

function newCostTally(): CostTally {
  const counts = { rows: 0, finished: 0, skipped: 0, unfed: 0, joined: 0, toSubmit: 0, shared: 0, reused: 0 };
  return { ...counts, elsewhere: 0, elsewhereNano: 0, savedNano: 0, lowNano: 0, worstNano: 0, unknown: 0 };
}
