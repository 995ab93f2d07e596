import { fedMedia } from '../../domain/row.js';
import type { HeldRows } from '../../home/held-rows.js';
import { readFollowers } from '../../home/row-orders.js';
import { type TouchedRows, touchedRows } from '../../home/row-records.js';
import { type KnownUpstreams, upstreamOf } from '../../home/upstream.js';
import { parallel } from '../../store/parallel.js';
import type { HomeAccess } from '../access/home-access.js';

const READ_WIDTH = 32;

/** By a walk over all rows, where the index cannot tell. `mayRun`: the rows of a sample; undefined where all may. */
export async function walkedHeld(
  { home, rows, records }: HomeAccess,
  batch: string,
  generation: string,
  mayRun: ReadonlySet<string> | undefined,
): Promise<HeldRows> {
  const found: HeldRows = { held: 0, ended: 0 };
  const facts = await rows.generation(batch, generation);
  if (facts?.fed === undefined) return found;
  const touched = touchedRows(home, batch);
  // Asked for with every feeder.
  const sources = {
    rows: { ...rows, generation: async () => facts },
    records: listedRecords(records, touched),
    followers: await readFollowers(home, batch),
  };
  const known: KnownUpstreams = new Map();
  for (const part of facts.parts.keys()) {
    const stored = await rows.readPart(batch, generation, part);
    const fed = stored.filter(({ row, isDamaged }) => !isDamaged && fedMedia(row).length > 0);
    const asked = fed.filter(({ row }) => mayRun?.has(row.id) !== false);
    const upstreams = await parallel(asked, READ_WIDTH, async ({ row }) => {
      const isTouched = (await touched.hasRecord(row.id)) || (await touched.wasTried(row.id));
      return isTouched ? undefined : upstreamOf(sources, { batch, generation }, row, known);
    });
    for (const upstream of upstreams) {
      if (upstream === undefined) continue;
      found['ended' in upstream ? 'ended' : 'held'] += 1;
      if ('live' in upstream) found.heldFor ??= upstream.waitsFor;
    }
  }
  return found;
}

/** Asks for a record only where the listings show one: most of what feeds rows that wait has none. */
function listedRecords(records: HomeAccess['records'], touched: TouchedRows): HomeAccess['records'] {
  return {
    ...records,
    readRecord: async (batch, id) => ((await touched.hasRecord(id)) ? records.readRecord(batch, id) : undefined),
  };
}
