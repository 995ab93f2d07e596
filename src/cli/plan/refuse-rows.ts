import { UserError } from '../user-error.js';
import type { ManifestPlace } from './manifest-flags.js';
import type { PreparedBatch } from './prepare-batch.js';

const HASH_SHOWN = 12;

/** Refuses rows whose content differs from what was submitted (`B48`), unless they are to be paid again. Pure. */
export function refuseChangedRows(
  { changed, changedCount }: Pick<PreparedBatch, 'changed' | 'changedCount'>,
  place: Pick<ManifestPlace, 'path'>,
  rerunsChanged: boolean,
): void {
  const file = place.path ?? '<stdin>';
  const refused = changed.filter((one) => !rerunsChanged || one.changed?.isOpen === true);
  if (refused.length === 0) return;
  const lines = refused.map(({ row, changed: change }) => {
    const hashes = `hash ${change?.submittedHash.slice(0, HASH_SHOWN)} then, ${row.hash.slice(0, HASH_SHOWN)} now`;
    const advice =
      change?.isOpen === true
        ? 'its attempt with those has not ended: wait for it, or give the row a new id'
        : 'give it a new id or use --changed rerun (costs again)';
    return `${file}:${row.line}:1: B48 row '${row.id}' was submitted with other values (${hashes}); ${advice}`;
  });
  const count = rerunsChanged ? refused.length : changedCount;
  throw new UserError(`${lines.join('\n')}\n${rowsAre(count)} submitted with other values: nothing was submitted now`);
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
