import type { RawCells } from './manifest-options.js';
import { ManifestStop } from './problem.js';
import { type ReadOptions, readManifest } from './read-manifest.js';

/** Tells by their cells which rows of a manifest are not what was read of it before; nothing is checked or fetched. */

export interface RowAsRead {
  id: string;
  cells: RawCells;
}

type AsWritten = Pick<ReadOptions, 'source' | 'format' | 'delimiter'>;

/**
 * The ids of the rows that were changed, added or left out since `kept` was read; another order is no difference.
 * Undefined where the manifest cannot be read as one.
 */
export async function editedRows(
  manifest: AsWritten,
  kept: AsyncIterable<RowAsRead>,
): Promise<Set<string> | undefined> {
  const written = writtenRows(manifest);
  try {
    return await differing(kept[Symbol.asyncIterator](), written);
  } catch (error) {
    if (!(error instanceof ManifestStop)) throw error;
    return undefined;
  } finally {
    await written.return(undefined);
  }
}

/** Reads both side by side: rows wait for their like only where they do not stand in the same place. */
async function differing(kept: AsyncIterator<RowAsRead>, written: AsyncIterator<RowAsRead>): Promise<Set<string>> {
  const edited = new Set<string>();
  const [keptAlone, writtenAlone] = [new Map<string, RawCells>(), new Map<string, RawCells>()];
  const meet = (one: RowAsRead, others: Map<string, RawCells>, own: Map<string, RawCells>): void => {
    const other = others.get(one.id);
    others.delete(one.id);
    if (other === undefined) own.set(one.id, one.cells);
    else if (!isSame(other, one.cells)) edited.add(one.id);
  };
  for (;;) {
    const [before, now] = await Promise.all([kept.next(), written.next()]);
    if (before.done !== true) meet(before.value, writtenAlone, keptAlone);
    if (now.done !== true) meet(now.value, keptAlone, writtenAlone);
    if (before.done === true && now.done === true) break;
  }
  for (const id of [...keptAlone.keys(), ...writtenAlone.keys()]) edited.add(id);
  return edited;
}

/** A kind that the command gave for all rows stands in the kept ones alone. */
function isSame(a: RawCells, b: RawCells): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  if (a.kind === undefined || b.kind === undefined) names.delete('kind');
  return [...names].every((name) => a[name] === b[name]);
}

async function* writtenRows(manifest: AsWritten): AsyncGenerator<RowAsRead> {
  for await (const { cells, line } of readManifest({ ...manifest, onHeader: () => undefined })) {
    const raw = Object.fromEntries(Array.from(cells, ([name, cell]): [string, string] => [name, cell.text]));
    // A row without an id is none that the batch has, whatever it says.
    yield { id: raw.id ?? `line ${line}`, cells: raw };
  }
}
