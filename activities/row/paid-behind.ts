import type { PaidBehind, ReadyRow } from '../../src/contract/pages.js';
import { feedsReader } from '../../src/home/feeders.js';
import { rerunOrder } from '../../src/home/row-orders.js';
import { touchedRows } from '../../src/home/row-records.js';
import { type RunOrder, standingOfRow } from '../../src/home/run-order.js';
import type { Dependencies } from '../dependencies.js';
import { entryOf, PAGE_CHARS_MAX } from './page-entry.js';

/** Beyond so many rows the next call goes on: most of a million were never tried. */
const ROWS_MAX = 20_000;

interface Place {
  batch: string;
  generation: string;
  from: { part: number; index: number };
  /** At most this many rows. */
  limit: number;
}

/**
 * Of a paused batch, the rows behind the first one that is to be sent that are at the service already: they are paid,
 * and what they made does not wait.
 */
export async function paidBehind(
  deps: Dependencies,
  { batch, generation, from, limit }: Place,
  order: RunOrder,
): Promise<PaidBehind> {
  const { parts = [], fed, sharing } = (await deps.rows.generation(batch, generation)) ?? {};
  const feeds = fed || sharing ? feedsReader(deps, batch, generation) : undefined;
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
      const standing = await standingOfRow(deps, batch, one, order, rerun);
      if (standing.ended || standing.begins === 'submit') continue;
      const entry = await entryOf(deps, batch, one.row, [], standing);
      const feeding = fedBy?.fed.has(one.row.index) || fedBy?.sharing.has(one.row.index);
      rows.push({ part, entry, isAhead: true, ...(feeding ? { feeds: true as const } : {}) });
      chars += JSON.stringify(entry).length + 1;
    }
  }
  return { rows, next: null };
}
