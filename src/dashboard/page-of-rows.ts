import { z } from 'zod';
import type { ChainLink, PageRow, RowChain } from './answers.js';
import type { BatchRows } from './batch-rows.js';

/** One page of a batch's rows, chosen and sorted here, so that a browser holds no more than it shows. Pure. */

const PAGE_MAX = 200;
export const SORTS = ['index', 'id', 'status', 'kind', 'group', 'reasonCode', 'credits', 'finishedAtMs'] as const;

export const rowsQuerySchema = z.object({
  status: z.string().default(''),
  kind: z.string().default(''),
  group: z.string().default(''),
  reason: z.string().default(''),
  text: z.string().max(200).default(''),
  /** `yes` = only rows with an output. */
  output: z.enum(['', 'yes']).default(''),
  sort: z.enum(SORTS).default('index'),
  direction: z.enum(['up', 'down']).default('up'),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
});
export type RowsQuery = z.output<typeof rowsQuerySchema>;

/** So far into a batch its first rows are read by themselves sooner than all of them. */
const HEAD_MAX = 1_000;

/** Rows of the manifest's order from its start, whatever stands of them. */
export function asksForHead(query: RowsQuery): boolean {
  const { sort, direction, offset, limit, ...chosen } = query;
  const isPlain = sort === 'index' && direction === 'up' && Object.values(chosen).every((value) => value === '');
  return isPlain && offset + limit <= HEAD_MAX;
}

export function chosenRows({ rows }: BatchRows, query: RowsQuery): PageRow[] {
  const text = query.text.toLowerCase();
  const found = rows.filter(
    (row) =>
      (query.status === '' || row.status === query.status) &&
      (query.kind === '' || row.kind === query.kind) &&
      (query.group === '' || row.group === query.group) &&
      (query.reason === '' || row.reasonCode === query.reason) &&
      (query.output === '' || row.files.length > 0) &&
      (text === '' ||
        [row.id, row.title, row.prompt, row.reason, ...row.flags].some((one) => one.toLowerCase().includes(text))),
  );
  const turn = query.direction === 'up' ? 1 : -1;
  return found.sort((a, b) => turn * compare(sortValue(a, query.sort), sortValue(b, query.sort)));
}

export function facetsOf({ rows }: BatchRows): Record<'status' | 'kind' | 'group' | 'reasonCode', [string, number][]> {
  const count = (name: 'status' | 'kind' | 'group' | 'reasonCode'): [string, number][] => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      if (row[name] !== '') counts.set(row[name], (counts.get(row[name]) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a).slice(0, 200);
  };
  return { status: count('status'), kind: count('kind'), group: count('group'), reasonCode: count('reasonCode') };
}

function sortValue(row: PageRow, sort: RowsQuery['sort']): string | number {
  if (sort === 'index') return row.index;
  if (sort === 'credits') return Number(row.credits ?? -1);
  if (sort === 'finishedAtMs') return row.finishedAtMs ?? Number.MAX_SAFE_INTEGER;
  return row[sort];
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** What feeds a row and what it feeds: the next rows in either direction, in the manifest's order. */
export function chainOfRow(rows: readonly PageRow[], row: PageRow): RowChain {
  const feeders = new Set(row.fed.map((feeder) => feeder.id));
  return {
    fedBy: rows.filter((one) => feeders.has(one.id)).map(linkOf),
    feeds: rows.filter((one) => isFedBy(one, setOf([row]))).map(linkOf),
  };
}

/** Rows and everything that they feed, directly or by others. */
export function withDependents(rows: readonly PageRow[], ...ids: readonly string[]): PageRow[] {
  const asked = new Set(ids);
  const found = setOf(rows.filter(({ id }) => asked.has(id)));
  for (let before = 0; before < found.ids.size; ) {
    before = found.ids.size;
    for (const row of rows) if (isFedBy(row, found)) addTo(found, row);
  }
  return rows.filter((row) => found.ids.has(row.id));
}

/** By a reference: the row that renders for both where one shares a render, unless one of them was skipped for its file. */
export function feedersAmong(rows: readonly PageRow[]): (reference: PageRow['fed'][number]) => PageRow | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byIndex = new Map(rows.map((row) => [row.index, row]));
  return ({ id, at }) => {
    const [own, renderer] = [byId.get(id), byIndex.get(at)];
    return own?.status === 'skipped' || renderer?.status === 'skipped' ? own : renderer;
  };
}

interface RowSet {
  ids: Set<string>;
  indexes: Set<number>;
}

function setOf(rows: readonly PageRow[]): RowSet {
  const set: RowSet = { ids: new Set(), indexes: new Set() };
  for (const row of rows) addTo(set, row);
  return set;
}

function addTo({ ids, indexes }: RowSet, { id, index }: PageRow): void {
  ids.add(id);
  indexes.add(index);
}

/** A reference to a row that shares a render is one to the row that renders for both: that one's place says so. */
function isFedBy({ fed }: PageRow, { ids, indexes }: RowSet): boolean {
  return fed.some(({ id, at }) => ids.has(id) || indexes.has(at));
}

function linkOf({ id, title, status }: PageRow): ChainLink {
  return { id, title, status };
}
