import { fedMedia } from '../../domain/row.js';
import { isRerun } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import type { BatchPlace } from '../access/home-access.js';
import type { ChangedOrder } from '../batch/run-flags.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import type { ManifestPlace } from './manifest-flags.js';
import type { CountedRows } from './row-counter.js';
import { createRowPlanner, type PlannedRow, withColumns } from './row-planner.js';

/** So many of one kind are shown, the rest are counted. */
const SHOWN_MAX = 20;

/** Refuses rows whose content differs from what was submitted (`B48`), unless they are to be paid again. Pure. */
export function refuseChangedRows(
  { changed, changedCount }: Pick<CountedRows, 'changed' | 'changedCount'>,
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
  throw new UserError(
    `${lines.join('\n')}\n${amount(count, 'row was', 'rows were')} submitted with other values: nothing was submitted now`,
  );
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
  { taken, takenCount }: Pick<CountedRows, 'taken' | 'takenCount'>,
  place: Pick<ManifestPlace, 'path'>,
): void {
  if (taken.length === 0) return;
  const lines = taken.map(
    ({ row, file }) =>
      `${place.path ?? '<stdin>'}:${row.line}:1: B47 refusing to overwrite ${file}; use --on-exists skip or version, or another --out`,
  );
  const are = amount(takenCount, 'output name is', 'output names are');
  throw new UserError(`${lines.join('\n')}\n${are} taken by files of others: nothing was submitted`);
}

/** Refuses rows whose content differs from what was submitted (`B48`), and names the columns that differ. */
export async function refuseChanged(
  at: BatchPlace,
  place: Pick<ManifestPlace, 'path'>,
  { changed, changedCount }: Pick<CountedRows, 'changed' | 'changedCount'>,
  order: ChangedOrder,
  keepsFed: boolean,
): Promise<void> {
  const reruns = coveredBy(order, changed, keepsFed);
  const ids = new Set(changed.map(({ row }) => row.id));
  const isFed = ({ row }: PlannedRow) => fedMedia(row).some(({ id }) => ids.has(id));
  const refused = changed.filter(({ row }) => !isRerun(reruns, row.id));
  const shown = new Set([...refused.filter((one) => !isFed(one)), ...refused.filter(isFed)].slice(0, SHOWN_MAX));
  const named = await Promise.all(changed.map((one) => (shown.has(one) ? withColumns(at, one) : one)));
  refuseChangedRows({ changed: named, changedCount }, place, reruns);
}

/**
 * The rows whose content differs from what was submitted by now. The batch may have gone on since they were first
 * compared: reading the manifest takes time, and so does a person who thinks about the question.
 */
export async function changedByNow(
  at: BatchPlace & { generation: GenerationFacts },
  { finishedBefore }: Pick<CountedRows, 'finishedBefore'>,
): Promise<Pick<CountedRows, 'changed' | 'changedCount'>> {
  const { access, batch, generation } = at;
  const planner = await createRowPlanner(at, { retry: null });
  const changed: PlannedRow[] = [];
  if (!planner.isKnown) return { changed, changedCount: 0 };
  for (const part of generation.parts.keys()) {
    const stored = await access.rows.readPart(batch, generation.generation, part);
    const rows = stored.flatMap(({ row }) => (finishedBefore[row.index] ? [] : [row]));
    for (const planned of await planner.plan(rows)) if (planned.changed !== undefined) changed.push(planned);
  }
  return { changed, changedCount: changed.length };
}
