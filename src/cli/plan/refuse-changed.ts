import { fedMedia } from '../../domain/row.js';
import { isRerun } from '../../home/row-orders.js';
import type { HomeAccess } from '../access/home-access.js';
import { withColumns } from './changed-columns.js';
import type { ChangedOrder } from './changed-flag.js';
import type { ManifestPlace } from './manifest-flags.js';
import type { PreparedBatch } from './prepare-batch.js';
import { coveredBy, refuseChangedRows, SHOWN_MAX } from './refuse-rows.js';
import type { PlannedRow } from './row-planner.js';

/** Refuses rows whose content differs from what was submitted (`B48`), and names the columns that differ. */
export async function refuseChanged(
  access: HomeAccess,
  place: Pick<ManifestPlace, 'path' | 'batch'>,
  { changed, changedCount }: Pick<PreparedBatch, 'changed' | 'changedCount'>,
  order: ChangedOrder,
  keepsFed: boolean,
): Promise<void> {
  const reruns = coveredBy(order, changed, keepsFed);
  const ids = new Set(changed.map(({ row }) => row.id));
  const isFed = ({ row }: PlannedRow) => fedMedia(row).some(({ id }) => ids.has(id));
  const refused = changed.filter(({ row }) => !isRerun(reruns, row.id));
  const shown = [...refused.filter((one) => !isFed(one)), ...refused.filter(isFed)].slice(0, SHOWN_MAX);
  const named = new Map<PlannedRow, PlannedRow>();
  for (const one of shown) named.set(one, await withColumns(access, place.batch, one));
  refuseChangedRows({ changed: changed.map((one) => named.get(one) ?? one), changedCount }, place, reruns);
}
