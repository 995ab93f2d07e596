import { readBatchOptions } from '../../home/batch-order.js';
import type { HomeAccess } from '../access/home-access.js';
import { plain } from '../terminal.js';
import { amount } from '../views/counts.js';
import type { ManifestPlace } from './manifest-flags.js';

/** The rows that the batch has now, by id: those that the manifest has as well are taken out as it is read. */
export async function presentRows({ home, rows }: HomeAccess, batch: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const current = (await home.readBatch(batch)) && (await rows.currentGeneration(batch));
  const facts = current === undefined ? undefined : await rows.generation(batch, current);
  for (const part of facts?.parts.keys() ?? []) {
    for (const { row } of await rows.readPart(batch, facts?.generation ?? '', part)) ids.add(row.id);
  }
  return ids;
}

const IDS_SHOWN = 5;

/**
 * Says which rows leave the batch with this manifest, and where the batch was run from another file: two manifests with
 * one base name are one batch. Undefined where none leaves.
 */
export async function leavingText(
  { home }: HomeAccess,
  { batch, file }: Pick<ManifestPlace, 'batch' | 'file'>,
  leaving: ReadonlySet<string>,
): Promise<string | undefined> {
  if (leaving.size === 0) return undefined;
  const ids = [...leaving].slice(0, IDS_SHOWN).join(', ');
  const more = leaving.size > IDS_SHOWN ? ', …' : '';
  const known = await readBatchOptions(home, batch).catch(() => undefined);
  const isOther = known?.manifest !== undefined && known.manifest !== file;
  const other = isOther
    ? `; '${batch}' was last run from ${plain(known.manifest ?? '', 300)}: --name makes this manifest a batch of its own`
    : '';
  const rows = amount(leaving.size, 'row is', 'rows are');
  return `${rows} not in this manifest any more (${ids}${more}): what was submitted of them stays in the results as removed${other}`;
}
