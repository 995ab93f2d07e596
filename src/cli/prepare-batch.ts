import type { RetryOrder } from '../contract/workflows.js';
import type { Row } from '../domain/row.js';
import type { ManifestSummary, RawCells } from '../manifest/manifest-options.js';
import type { MediaBlob } from '../manifest/media/media-reader.js';
import { estimate } from '../reconcile/price-book.js';
import { createRowsWriter, type GenerationFacts } from '../store/rows-writer.js';
import { checkManifest } from './check-manifest.js';
import type { HomeAccess } from './home-access.js';
import type { ManifestPlace } from './manifest-flags.js';
import { newPlanTally, type PlanTally, tallyRow } from './plan-tally.js';
import { createRowPlanner, type PlannedRow } from './row-planner.js';
import type { Session } from './session.js';
import { readTakenNames } from './taken-names.js';

/** A manifest that was checked, and what running it would do. */
export interface PreparedBatch {
  summary: ManifestSummary;
  tally: PlanTally;
  /** Rows whose content differs from what was submitted, the first ones. */
  changed: PlannedRow[];
  changedCount: number;
  /** Rows whose output name is taken by a file that is not ours, the first ones. */
  taken: { row: Row; file: string }[];
  takenCount: number;
  /** By the row's index: it was finished before this command. */
  finishedBefore: boolean[];
  /** The rows in the home; absent for a plan, which writes nothing. */
  generation?: GenerationFacts;
}

export interface PrepareOptions {
  access: HomeAccess;
  place: ManifestPlace;
  retry: RetryOrder | null;
  /** Changed rows count as rows to submit. */
  rerunsChanged: boolean;
  /** Keep rows and local media in the home. */
  keep: boolean;
}

const BUFFERED_MAX = 500;
const KEPT_MAX = 20;

/**
 * One streaming pass: checks, plans and prices every row, and with `keep` writes rows and media to the home. What was
 * written becomes current only when the whole manifest is good. Throws a UserError (exit 2) when it is not.
 */
export async function prepareBatch(session: Session, options: PrepareOptions): Promise<PreparedBatch> {
  const { access, place } = options;
  const { home } = access;
  const writer = options.keep ? createRowsWriter(home.store, home.account, place.batch) : undefined;
  const binding = await home.readBatch(place.batch);
  const counter = await createCounter(session, options, binding !== undefined);
  // `{date}` in a name stays the day of the first run, else the same manifest would be another one tomorrow.
  const date = binding === undefined ? {} : { date: new Date(binding.createdAtMs).toISOString().slice(0, 10) };
  try {
    const summary = await checkManifest(session, place, {
      ...date,
      onRow: async (row, raw: RawCells) => {
        await writer?.add({ row, raw });
        await counter.add(row);
      },
      ...(options.keep ? { keepBlob: (blob: MediaBlob) => keepBlob(access, blob) } : {}),
    });
    await counter.flush();
    const { columns, passthroughColumns } = summary;
    const generation = await writer?.finish({ columns, passthroughColumns, createdAtMs: Date.now() });
    return { summary, ...counter.totals(), ...(generation === undefined ? {} : { generation }) };
  } catch (error) {
    await writer?.abort();
    throw error;
  }
}

async function createCounter(session: Session, options: PrepareOptions, isKnown: boolean) {
  const { prices, names } = session.config;
  // Once the batch ran, what is in its folder may be its own: the download then looks at each file.
  const takenNames = isKnown || names.onExists !== 'fail' ? undefined : await readTakenNames(session, options.place.batch);
  const planner = await createRowPlanner(options.access, options.place.batch, options.retry);
  const tally = newPlanTally();
  const changed: PlannedRow[] = [];
  const finishedBefore: boolean[] = [];
  const taken: PreparedBatch['taken'] = [];
  let changedCount = 0;
  let takenCount = 0;
  let buffer: Row[] = [];

  function book(planned: PlannedRow): void {
    const { row } = planned;
    const isChanged = planned.changed !== undefined;
    if (isChanged) {
      changedCount += 1;
      if (changed.length < KEPT_MAX) changed.push(planned);
    }
    const file = takenNames?.fileOf(row.stem);
    if (file !== undefined) {
      takenCount += 1;
      if (taken.length < KEPT_MAX) taken.push({ row, file });
    }
    const plan = isChanged && options.rerunsChanged ? ({ plan: 'submit' } as const) : planned.plan;
    finishedBefore[row.index] = plan.plan === 'finished';
    tallyRow(tally, row, plan, plan.plan === 'submit' ? estimate(row, [...prices]) : null);
  }

  async function flush(): Promise<void> {
    const rows = buffer;
    buffer = [];
    for (const planned of await planner.plan(rows)) book(planned);
  }

  return {
    add: async (row: Row) => {
      buffer.push(row);
      if (buffer.length >= BUFFERED_MAX) await flush();
    },
    flush,
    totals: () => ({ tally, changed, changedCount, taken, takenCount, finishedBefore }),
  };
}

async function keepBlob({ home }: HomeAccess, blob: MediaBlob): Promise<void> {
  if (!(await home.hasBlob(blob.sha256))) await home.putBlob(await blob.read());
}
