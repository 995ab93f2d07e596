import type { RetryOrder } from '../../contract/workflows.js';
import { createRowsWriter, type GenerationFacts } from '../../home/rows-writer.js';
import type { ManifestSummary } from '../../manifest/manifest-options.js';
import type { MediaBlob } from '../../manifest/media/media-reader.js';
import type { HomeAccess } from '../access/home-access.js';
import { openEarlierRenders } from '../reuse/earlier-renders.js';
import type { Session } from '../session.js';
import type { ChangedOrder } from './changed-flag.js';
import { checkManifest } from './check-manifest.js';
import { keepFedRows } from './keep-fed-rows.js';
import { presentRows } from './leaving-rows.js';
import type { PlanSubject } from './make-plan.js';
import type { ManifestPlace } from './manifest-flags.js';
import { openOutputCheck } from './output-check.js';
import { openOutsideChecks } from './outside-checks.js';
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
