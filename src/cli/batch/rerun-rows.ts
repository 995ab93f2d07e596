import { overrideOf, type Standing, standingOf } from '../../domain/attempt.js';
import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { feedsReader } from '../../home/feeders.js';
import { rowAt } from '../../home/rows.js';
import { nearestWord } from '../../manifest/suggest.js';
import type { HomeAccess } from '../access/home-access.js';
import { UserError } from '../user-error.js';
import { formatDate } from '../views/durations.js';
import type { KnownBatch } from './known-batch.js';

/** Which rows another render is ordered of, and why it cannot be. */

export interface PlacedRow {
  row: Row;
  part: number;
}

/** A row that can be rendered again. */
export interface RerunRow extends PlacedRow {
  record: RowRecord;
  /** Its attempts that brought an output, or were paid without one: the ledger lets no other follow them by itself. */
  paid: number[];
}

/** Throws a UserError with the nearest id where the manifest has no such row. */
export async function findRow({ rows }: HomeAccess, { batch, generation }: KnownBatch, id: string): Promise<PlacedRow> {
  const others: string[] = [];
  for (const part of generation.parts.keys()) {
    for (const { row, isDamaged } of await rows.readPart(batch, generation.generation, part)) {
      if (row.id === id && !isDamaged) return { row, part };
      if (others.length < 1_000) others.push(row.id);
    }
  }
  const nearest = nearestWord(id, others);
  const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
  throw new UserError(`batch '${batch}' has no row '${id.slice(0, 120)}'${hint}`);
}

/** All that a row feeds, and what that feeds, each row behind one that feeds it. */
export async function dependentsOf(
  access: HomeAccess,
  { batch, generation: { generation } }: KnownBatch,
  { row }: PlacedRow,
): Promise<PlacedRow[]> {
  const feeds = feedsReader(access, batch, generation);
  const seen = new Set([row.index]);
  const found: PlacedRow[] = [];
  for (const index of seen) {
    for (const next of (await feeds.of(index)) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      const place = await rowAt(access.rows, batch, generation, next);
      if (place !== undefined && !place.stored.isDamaged) found.push({ row: place.stored.row, part: place.part });
    }
  }
  return found;
}

/** Undefined for a row that is only fed and was not rendered yet: it takes the new file anyway. */
export async function readyToRerun(
  { ledger, records, rows }: HomeAccess,
  { batch, generation: { generation } }: KnownBatch,
  { row, part }: PlacedRow,
  isAsked: boolean,
): Promise<RerunRow | undefined> {
  const refuse = (why: string): never => {
    throw new UserError(`row '${row.id}' ${why}; nothing was changed`);
  };
  if (row.shares !== undefined) {
    if (!isAsked) return undefined;
    const original = (await rowAt(rows, batch, generation, row.shares))?.stored.row.id ?? '';
    return refuse(`shares the render of row '${original}': give the order for that one`);
  }
  const record = await records.readRecord(batch, row.id);
  const attempts = await ledger.read(batch, row.id);
  const open = attempts.map((attempt) => standingOf(attempt)).find((standing) => OPEN.includes(standing));
  if (open === 'undecided') {
    return refuse(
      `needs a person first, since an attempt of it is undecided: \`callsheet review show ${batch} ${row.id}\``,
    );
  }
  // Before what is open: the attempt of an order that is being carried out is open as well.
  if (record?.rerunAtMs !== undefined) {
    const since = formatDate(new Date(record.rerunAtMs).toISOString());
    return refuse(
      `is being rendered again already, by the order of ${since}: \`callsheet watch ${batch}\` follows it to its end`,
    );
  }
  if (open !== undefined) return refuse(`is under way: wait for its end, \`callsheet watch ${batch}\` follows it`);
  if (record === undefined || record.status !== 'done') {
    if (!isAsked) return undefined;
    return refuse(`is not done: \`callsheet run\`, \`retry\` and \`review\` go on with it`);
  }
  if (!isRecordOf(record, row.hash)) {
    return refuse(
      `was changed in the manifest since: \`callsheet run … --changed rerun=${row.id}\` pays for its new values`,
    );
  }
  const paid = attempts.filter((attempt) => PAID.includes(standingOf(attempt)) && overrideOf(attempt) === undefined);
  return { row, part, record, paid: paid.map(({ n }) => n) };
}

const OPEN: readonly Standing[] = ['claimed', 'created', 'open_case', 'undecided'];
const PAID: readonly Standing[] = ['done', 'rendered', 'billed', 'given_up'];
