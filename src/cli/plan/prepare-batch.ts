import type { RetryOrder } from '../../contract/workflows.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { createRowsWriter, type GenerationFacts } from '../../home/rows-writer.js';
import type { ManifestSummary } from '../../manifest/manifest-options.js';
import type { MediaBlob } from '../../manifest/media/media-reader.js';

import type { HomeAccess } from '../access/home-access.js';
import { openOutputCheck } from '../batch/lost-files.js';
import type { ChangedOrder } from '../batch/run-flags.js';
import { openEarlierRenders } from '../reuse/earlier-renders.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { amount } from '../views/counts.js';
import { checkManifest, openOutsideChecks } from './check-manifest.js';
import { keepFedRows } from './kept-rows.js';
import type { PlanSubject } from './make-plan.js';
import type { ManifestPlace } from './manifest-flags.js';
import { type CountedRows, createRowCounter } from './row-counter.js';
import { openTakenNames } from './taken-names.js';

/** A manifest that was checked, and what running it would do. */
export interface PreparedBatch extends CountedRows {
  summary: ManifestSummary;
  /** Rows of the batch that the manifest does not have any more. */
  leaving: ReadonlySet<string>;
  /** The rows in the home; absent for a plan, which writes nothing. */
  generation?: GenerationFacts;
}

export interface PrepareOptions {
  access: HomeAccess;
  place: ManifestPlace;
  retry: RetryOrder | null;
  /** Rows that changed only with what feeds them stay as they are, but for those that the order names. */
  keepsFed?: { except: ChangedOrder } | undefined;
  /** Keep rows and local media in the home. */
  keep: boolean;
}

/**
 * One streaming pass: checks, plans and prices every row, and with `keep` writes rows and media to the home. What was
 * written becomes current only when the whole manifest is good. Throws a UserError (exit 2) when it is not.
 */
export async function prepareBatch(session: Session, options: PrepareOptions): Promise<PreparedBatch> {
  const { access, place } = options;
  const { batch } = place;
  const { home } = access;
  const binding = await home.readBatch(batch);
  const takenNames = await openTakenNames(session, access, batch);
  const leaving = await presentRows(access, batch);
  const outputs = binding && openOutputCheck(session.config, binding.out, batch);
  const earlier = await openEarlierRenders(access, batch, place.reuse);
  const keepFed = options.keepsFed && keepFedRows(access, batch, options.keepsFed.except);
  const counter = await createRowCounter(session, {
    ...options,
    batch,
    takenNames,
    leaving,
    outputs,
    earlier,
    keepFed,
  });
  const writer = options.keep ? createRowsWriter(home.store, home.account, batch) : undefined;
  let written = 0;
  const outside = await openOutsideChecks(session, access, place);
  try {
    const summary = await checkManifest(session, place, {
      ...outside.options,
      // `{date}` in a name stays the day of the first run, else the same manifest would be another one tomorrow.
      ...(binding === undefined ? {} : { date: new Date(binding.createdAtMs).toISOString().slice(0, 10) }),
      onRow: async (row, raw) => {
        // After a bad row the manifest is refused: what follows is checked and priced, and not written.
        if (row.index === written) {
          await writer?.add({ row, raw });
          written += 1;
        }
        await counter.add(row);
      },
      ...(options.keep ? { keepBlob: (blob: MediaBlob) => keepBlob(access, blob) } : {}),
    });
    const counted = await counter.finish();
    const { columns, passthroughColumns } = summary;
    if (written !== summary.rows) throw new Error(`${written} of ${summary.rows} good rows were written`);
    const generation = await writer?.finish({ columns, passthroughColumns, createdAtMs: Date.now() });
    return { summary, leaving, ...counted, ...(generation === undefined ? {} : { generation }) };
  } catch (error) {
    await writer?.abort();
    throw error;
  } finally {
    await outside.close();
    await earlier?.close();
  }
}

export function planSubject(place: ManifestPlace, prepared: PreparedBatch): PlanSubject {
  const { costNotes, chains } = prepared.summary;
  return { chains, batch: place.batch, manifest: place.path ?? 'standard input', rows: prepared, costNotes };
}

async function keepBlob({ home }: HomeAccess, blob: MediaBlob): Promise<void> {
  if (!(await home.hasBlob(blob.sha256))) await home.putBlob(await blob.read());
}

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
