import type { RetryOrder } from '../../contract/workflows.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { createRowsWriter, type GenerationFacts } from '../../home/rows-writer.js';
import type { ManifestSummary } from '../../manifest/manifest-options.js';
import type { MediaBlob } from '../../manifest/media/media-reader.js';
import { parallel } from '../../store/parallel.js';
import { type BatchPlace, type HomeAccess, rowsOf } from '../access/home-access.js';
import { earlyEndText } from '../access/signing.js';
import { lookUpBatch } from '../batch/known-batch.js';
import { openOutputCheck } from '../batch/lost-files.js';
import type { ChangedOrder } from '../batch/run-flags.js';
import { openStoredAgain, type StoredAgain } from '../batch/stored-again.js';
import { openEarlierRenders } from '../reuse/earlier-renders.js';
import { plain } from '../terminal.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { checkManifest, hasUploadStore, openOutsideChecks } from './check-manifest.js';
import { createChainsLeft } from './count-kept-rows.js';
import { createFeederUrls } from './feeder-urls.js';
import { keepFedRows } from './kept-rows.js';
import type { PlanSubject } from './make-plan.js';
import type { ManifestPlace } from './manifest-flags.js';
import { type CountedRows, createRowCounter } from './row-counter.js';
import { openTakenNames } from './taken-names.js';

const READ_WIDTH = 16;
const IDS_SHOWN = 5;

/** A manifest that was checked, and what running it would do. */
export interface PreparedBatch extends CountedRows {
  /** Its chains are those of the rows that are left. */
  summary: ManifestSummary;
  /** Rows of the batch that the manifest does not have any more. */
  leaving: ReadonlySet<string>;
  /** Rows whose files were away and are there again; not yet recorded. */
  again: StoredAgain['found'];
  /** The rows in the home; absent for a plan, which writes nothing. */
  generation?: GenerationFacts;
}

interface PrepareOptions {
  place: ManifestPlace;
  retry: RetryOrder | null;
  /** Rows that changed only with what feeds them stay as they are, but for those that the order names. */
  keepsFed?: { except: ChangedOrder } | undefined;
  /** Changed rows that are paid again: each that is named has to be one of the manifest. */
  reruns: ChangedOrder;
  /** Keep rows and local media in the home. */
  keep: boolean;
}

/**
 * One streaming pass: checks, plans and prices every row, and with `keep` writes rows and media to the home. What was
 * written becomes current only when the whole manifest is good. Throws a UserError (exit 2) when it is not.
 */
export async function prepareBatch(at: BatchPlace, options: PrepareOptions): Promise<PreparedBatch> {
  const { session, access, batch } = at;
  const { home } = access;
  const { place } = options;
  const binding = await home.readBatch(batch);
  const takenNames = await openTakenNames(at);
  const leaving = await presentRows(at);
  const outputs = binding && openOutputCheck(session.config, binding.out, batch);
  const again = binding && openStoredAgain(at, binding.out);
  const earlier = await openEarlierRenders(access, batch, place.reuse);
  const keepFed = options.keepsFed && keepFedRows(at, options.keepsFed.except);
  const { retry } = options;
  const feederUrls = hasUploadStore(session.config, session.cli.io.env) ? undefined : createFeederUrls(at);
  const counter = await createRowCounter(at, {
    retry,
    takenNames,
    keepsAllTaken: place.errorsFile !== undefined,
    leaving,
    outputs,
    again,
    earlier,
    keepFed,
    feederUrls,
  });
  // Of a new batch every row is left: what a manifest of a million rows takes twice is kept where some may have ended.
  const mayHaveEnded = binding !== undefined || place.reuse !== 'none' || takenNames.onExists === 'skip';
  const left = mayHaveEnded ? createChainsLeft() : undefined;
  const writer = options.keep ? createRowsWriter(home.store, home.account, batch) : undefined;
  let written = 0;
  const unknown = new Set(typeof options.reruns === 'boolean' ? [] : options.reruns);
  const outside = await openOutsideChecks(session, access, place);
  try {
    const summary = await checkManifest(session, place, {
      ...outside.options,
      earlierOuts: () => outsOf(home),
      isKnownInput: (sha256) => home.hasBlob(sha256),
      // `{date}` in a name stays the day of the first run, else the same manifest would be another one tomorrow.
      ...(binding && { date: new Date(binding.createdAtMs).toISOString().slice(0, 10) }),
      onRow: async (row, raw) => {
        // After a bad row the manifest is refused: what follows is checked and priced, and not written.
        if (row.index === written) {
          await writer?.add({ row, raw });
          written += 1;
        }
        unknown.delete(row.id);
        await counter.add(row);
        left?.add(row);
      },
      ...(options.keep ? { keepBlob: (blob: MediaBlob) => keepBlob(access, blob) } : {}),
    });
    refuseUnknown(unknown);
    const counted = await counter.finish();
    await feederUrls?.refuse(counted, place);
    const tooShort = counted.signedSeconds > 0 && (await earlyEndText(session.config, counted.signedSeconds));
    if (tooShort) session.terminal.warn(`${tooShort}: use credentials that live longer`);
    const { columns, passthroughColumns, nativeColumns } = summary;
    if (written !== summary.rows) throw new Error(`${written} of ${summary.rows} good rows were written`);
    const generation = await writer?.finish({ columns, passthroughColumns, nativeColumns, createdAtMs: Date.now() });
    const told = { ...summary, chains: left?.totals(counted.finishedBefore, counted.barren) ?? summary.chains };
    return { summary: told, leaving, again: again?.found ?? [], ...counted, ...(generation && { generation }) };
  } catch (error) {
    await writer?.abort();
    throw error;
  } finally {
    await outside.close();
    await earlier?.close();
    await feederUrls?.close();
  }
}

/** A slip in an id would leave the row that was meant as it is, without a word. */
function refuseUnknown(ids: ReadonlySet<string>): void {
  if (ids.size === 0) return;
  const some = [...ids].slice(0, IDS_SHOWN).map((id) => `'${plain(id, 120)}'`);
  const more = ids.size > IDS_SHOWN ? ', …' : '';
  const are = ids.size === 1 ? 'is no row' : 'are no rows';
  throw new UserError(`--changed: ${some.join(', ')}${more} ${are} of the manifest; nothing was submitted`);
}

export function planSubject({ path }: ManifestPlace, prepared: PreparedBatch): PlanSubject {
  const { costNotes, chains } = prepared.summary;
  return { chains, manifest: path ?? 'standard input', rows: prepared, costNotes };
}

/** Every place that a batch of the account writes to. */
async function outsOf(home: HomeAccess['home']): Promise<string[]> {
  const bindings = await parallel(await home.batches(), READ_WIDTH, (batch) => home.readBatch(batch));
  return [...new Set(bindings.flatMap((binding) => binding?.out ?? []))];
}

async function keepBlob({ home }: HomeAccess, blob: MediaBlob): Promise<void> {
  if (!(await home.hasBlob(blob.sha256, blob.bytes))) await home.putBlob(await blob.read());
}

/** The rows that the batch has now, by id: those that the manifest has as well are taken out as it is read. */
async function presentRows(at: BatchPlace): Promise<Set<string>> {
  const ids = new Set<string>();
  const known = await lookUpBatch(at);
  if (known === undefined) return ids;
  for await (const { row, isDamaged } of rowsOf(at.access, at.batch, known.generation)) {
    // What a line says that cannot be read is not known, its id neither.
    if (!isDamaged) ids.add(row.id);
  }
  return ids;
}

/** Says which rows leave the batch with this manifest, and where it was run from another file of the same base name. */
export async function warnOfLeaving(
  { session, access: { home }, batch }: BatchPlace,
  { file }: ManifestPlace,
  { leaving }: PreparedBatch,
): Promise<void> {
  if (leaving.size === 0) return;
  const ids = [...leaving].slice(0, IDS_SHOWN).join(', ');
  const more = leaving.size > IDS_SHOWN ? ', …' : '';
  const before = (await readBatchOptions(home, batch).catch(() => undefined))?.manifest;
  const other =
    before === undefined || before === file
      ? ''
      : `; '${batch}' was last run from ${plain(before, 300)}: --name makes this manifest a batch of its own`;
  const rows = amount(leaving.size, 'row is', 'rows are');
  session.terminal.warn(
    `${rows} not in this manifest any more (${ids}${more}): what was submitted of them stays in the results as removed${other}`,
  );
}
