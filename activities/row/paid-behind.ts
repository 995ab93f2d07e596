import type { PaidBehind, ReadyRow } from '../../src/contract/pages.js';
import { intentOf } from '../../src/domain/standing.js';
import { feedsReader } from '../../src/home/feeders.js';
import type { PartFeeds } from '../../src/home/feeds.js';
import { type RerunOrder, rerunOrder } from '../../src/home/row-orders.js';
import { type StoredRow, touchedRows } from '../../src/home/row-records.js';
import { rowAt } from '../../src/home/rows.js';
import { type RunOrder, standingOfRow } from '../../src/home/run-order.js';
import type { Dependencies } from '../dependencies.js';
import { entryOf, PAGE_CHARS_MAX } from './page-entry.js';

/** Beyond so many rows the next call goes on: most of a million were never tried. */
const ROWS_MAX = 20_000;

interface Place {
  batch: string;
  generation: string;
  /** At most this many rows. */
  limit: number;
}

/**
 * Of a paused batch, the rows behind the first one that is to be sent that are at the service already: they are paid,
 * and what they made does not wait.
 */
export async function paidBehind(
  deps: Dependencies,
  { batch, generation, from, limit }: Place & { from: { part: number; index: number } },
  order: RunOrder,
): Promise<PaidBehind> {
  const { parts = [] } = (await deps.rows.generation(batch, generation)) ?? {};
  const feeds = await feedsOfParts(deps, batch, generation);
  const touched = touchedRows(deps.home, batch);
  const rerun = await rerunOrder(deps.home, batch, generation);
  const rows: ReadyRow[] = [];
  let [looks, chars] = [0, 0];
  for (let part = from.part; part < parts.length; part += 1) {
    const stored = await deps.rows.readPart(batch, generation, part);
    const fedBy = await feeds?.ofPart(part);
    for (let at = part === from.part ? from.index : 0; at < stored.length; at += 1) {
      const one = stored[at];
      if (rows.length >= limit || chars >= PAGE_CHARS_MAX || looks >= ROWS_MAX)
        return { rows, next: { part, index: at } };
      looks += 1;
      if (one === undefined || !(await touched.wasTried(one.row.id))) continue;
      const row = await paidRow(deps, batch, { part, stored: one, fedBy }, { order, rerun });
      if (row === undefined) continue;
      rows.push(row);
      chars += JSON.stringify(row.entry).length + 1;
    }
  }
  return { rows, next: null };
}

/**
 * Of a batch that begins anew, as after its server was lost, the rows at the service, wherever they stand: they hold the
 * slots for which the others wait. Those of an earlier manifest come with their pages. Undefined where there are none.
 */
export async function paidAlready(
  deps: Dependencies,
  { batch, generation, limit }: Place,
  order: RunOrder,
): Promise<PaidBehind | undefined> {
  const feeds = await feedsOfParts(deps, batch, generation);
  const rerun = await rerunOrder(deps.home, batch, generation);
  const rows: ReadyRow[] = [];
  let chars = 0;
  for await (const open of deps.ledger.open()) {
    if (open.batch !== batch || rows.some(({ entry }) => entry.id === open.id)) continue;
    const attempt = await deps.ledger.readAttempt(open);
    const intent = attempt && intentOf(attempt);
    if (intent === undefined || intent.generation !== generation) continue;
    const place = await rowAt(deps.rows, batch, generation, intent.index);
    if (place?.stored.row.id !== open.id) continue;
    const fedBy = await feeds?.ofPart(place.part);
    const row = await paidRow(deps, batch, { ...place, fedBy }, { order, rerun });
    if (row === undefined) continue;
    rows.push(row);
    chars += JSON.stringify(row.entry).length + 1;
    if (rows.length >= limit || chars >= PAGE_CHARS_MAX) break;
  }
  return rows.length === 0 ? undefined : { rows, next: null };
}

async function feedsOfParts(deps: Dependencies, batch: string, generation: string) {
  const { fed, sharing } = (await deps.rows.generation(batch, generation)) ?? {};
  return fed || sharing ? feedsReader(deps, batch, generation) : undefined;
}

interface Seen {
  part: number;
  stored: StoredRow;
  fedBy: PartFeeds | undefined;
}

/** Undefined for a row that has ended or is to be sent. */
async function paidRow(
  deps: Dependencies,
  batch: string,
  { part, stored, fedBy }: Seen,
  { order, rerun }: { order: RunOrder; rerun: RerunOrder },
): Promise<ReadyRow | undefined> {
  const standing = await standingOfRow(deps, batch, stored, order, rerun);
  if (standing.ended || standing.begins === 'submit') return undefined;
  const { row } = stored;
  const feeding = fedBy?.fed.has(row.index) || fedBy?.sharing.has(row.index);
  const entry = await entryOf(deps, batch, row, [], standing);
  return { part, entry, isAhead: true, ...(feeding ? { feeds: true as const } : {}) };
}
