import type { PageRow } from './batch-rows.js';

/** What feeds a row and what it feeds, as the page shows it. Pure. */

export interface ChainLink {
  id: string;
  title: string;
  status: string;
}

export interface RowChain {
  fedBy: ChainLink[];
  feeds: ChainLink[];
}

/** The next rows in either direction, in the manifest's order. */
export function chainOfRow(rows: readonly PageRow[], { id, fed }: PageRow): RowChain {
  const feeders = new Set(fed.map((feeder) => feeder.id));
  return {
    fedBy: rows.filter((one) => feeders.has(one.id)).map(linkOf),
    feeds: rows.filter((one) => isFedBy(one, id)).map(linkOf),
  };
}

/** Rows and everything that they feed, directly or by others. */
export function withDependents(rows: readonly PageRow[], ...ids: readonly string[]): PageRow[] {
  const found = new Set(ids);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const row of rows) if (row.fed.some((feeder) => found.has(feeder.id))) found.add(row.id);
  }
  return rows.filter((row) => found.has(row.id));
}

function isFedBy({ fed }: PageRow, id: string): boolean {
  return fed.some((feeder) => feeder.id === id);
}

function linkOf({ id, title, status }: PageRow): ChainLink {
  return { id, title, status };
}
