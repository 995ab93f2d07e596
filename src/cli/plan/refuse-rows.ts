import { fedMedia } from '../../domain/row.js';
import { isRerun } from '../../home/row-orders.js';
import { UserError } from '../user-error.js';
import type { ChangedOrder } from './changed-flag.js';
import type { ManifestPlace } from './manifest-flags.js';
import type { PreparedBatch } from './prepare-batch.js';
import type { PlannedRow } from './row-planner.js';

/** So many of one kind are shown, the rest are counted. */
export const SHOWN_MAX = 20;

/** Refuses rows whose content differs from what was submitted (`B48`), unless they are to be paid again. Pure. */
export function refuseChangedRows(
  { changed, changedCount }: Pick<PreparedBatch, 'changed' | 'changedCount'>,
  place: Pick<ManifestPlace, 'path'>,
  reruns: ChangedOrder,
): void {
  const file = place.path ?? '<stdin>';
  const refused = changed.filter((one) => !isRerun(reruns, one.row.id) || one.changed?.isOpen === true);
  if (typeof reruns !== 'boolean' && changedCount > changed.length) {
    throw new UserError(
      `${changedCount} rows were changed, too many to name: --changed rerun pays again for all of them`,
    );
  }
  if (refused.length === 0) return;
  // What changed with the rows that feed it alone is covered by the order for those.
  const own = refused.filter((one) => !isChangedByFeeders(one, changed));
  const lines = (own.length > 0 ? own : refused).slice(0, SHOWN_MAX).map(({ row, changed: change }) => {
    const columns = change?.columns?.join(', ') || 'the content of its media';
    const advice =
      change?.isOpen === true
        ? 'its attempt with those has not ended: wait for it, or give the row a new id'
        : `give it a new id or use --changed rerun=${row.id} (costs again)`;
    return `${file}:${row.line}:1: B48 row '${row.id}' was submitted with other values (changed: ${columns}); ${advice}`;
  });
  const count = reruns === false ? changedCount : refused.length;
  throw new UserError(`${lines.join('\n')}\n${rowsAre(count)} submitted with other values: nothing was submitted now`);
}

function isChangedByFeeders({ row, changed }: PlannedRow, all: readonly PlannedRow[]): boolean {
  if (changed?.columns?.length !== 0 || changed.isOpen) return false;
  return fedMedia(row).some(({ id }) => all.some((one) => one.row.id === id));
}

/** What an order pays again: with `--no-dependents` the rows that it names alone. Pure. */
export function coveredBy(order: ChangedOrder, changed: readonly PlannedRow[], keepsFed: boolean): ChangedOrder {
  return keepsFed ? order : withFedRows(order, changed);
}

/** The order with the rows that changed since those that feed them are covered by it. Pure. */
export function withFedRows(reruns: ChangedOrder, changed: readonly PlannedRow[]): ChangedOrder {
  if (typeof reruns === 'boolean') return reruns;
  const ids = new Set(reruns);
  for (let before = -1; before !== ids.size; ) {
    before = ids.size;
    for (const { row } of changed) if (fedMedia(row).some(({ id }) => ids.has(id))) ids.add(row.id);
  }
  return ids;
}

/** Refuses rows whose output name is taken by a file that the batch did not write (`B47`). Pure. */
export function refuseTakenNames(
  { taken, takenCount }: Pick<PreparedBatch, 'taken' | 'takenCount'>,
  place: Pick<ManifestPlace, 'path'>,
): void {
  if (taken.length === 0) return;
  const lines = taken.map(
    ({ row, file }) =>
      `${place.path ?? '<stdin>'}:${row.line}:1: B47 refusing to overwrite ${file}; use --on-exists skip or version, or another --out`,
  );
  const whose = takenCount === 1 ? 'output name is' : 'output names are';
  throw new UserError(`${lines.join('\n')}\n${takenCount} ${whose} taken by files of others: nothing was submitted`);
}

function rowsAre(count: number): string {
  return count === 1 ? '1 row was' : `${count} rows were`;
}
