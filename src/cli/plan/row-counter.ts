import { waitsOf } from '../../config/make-config.js';
import { defined } from '../../domain/defined.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { outputBytes, reachableSeconds } from '../../kinds/expected.js';
import { type BatchPlace, knownPrices, listPrice } from '../access/home-access.js';
import type { LostFile } from '../batch/lost-files.js';
import { namesOfOthers, type TakenName, takenName } from '../reuse/check-render.js';
import type { EarlierRenders } from '../reuse/earlier-renders.js';
import type { FoundRenders } from '../reuse/found-renders.js';
import { createChainCosts } from './chain-costs.js';
import { type ChangedId, noteChanged } from './changed-rows.js';
import { type FeederUrls, isSigned } from './feeder-urls.js';
import type { KeepFedRows, KeptRow, SkippedRow } from './kept-rows.js';
import { type ContradictedPrices, noteContradiction } from './plan-prices.js';
import { newPlanTally, type PlanTally, type RowPlan, tallyElsewhere, tallyReused, tallyRow } from './plan-tally.js';
import { createRowPlanner, freshPlan, type PlannedRow, type PlannerOptions, takenBy } from './row-planner.js';
import type { TakenNames } from './taken-names.js';
import { createUnfedRows } from './unfed-rows.js';

/** Plans and prices rows one after the other; looks the home up for many at once. */

export interface CountedRows {
  tally: PlanTally;
  /** The rows to submit that feed others or are fed. */
  inChains: PlanTally;
  /** Rows whose content differs from what was submitted. */
  changed: ChangedId[];
  /** Rows whose output name is taken by what is not theirs, the first ones. */
  taken: TakenName[];
  takenCount: number;
  /** Rows that are left alone because of a file in their way. */
  skipped: SkippedRow[];
  /** By the row's index: it feeds other rows. */
  feeding: boolean[];
  /** Rows that were skipped before and run now, by id. */
  reopened: string[];
  /** Rows that stay as they ended although what feeds them was changed; not yet recorded. */
  kept: KeptRow[];
  /** Finished rows whose files are gone or changed. */
  lost: LostFile[];
  /** What the outputs of the rows that have not ended will take, roughly. */
  outputBytes: number;
  /** How long the service may need to read a signed URL of an input; 0 where none is signed. */
  signedSeconds: number;
  /** Rows whose configured price is not what the balance showed, with the first one's prices, by kind. */
  contradicted: ContradictedPrices;
  /** By the row's index: there is nothing to do for it, since it has ended or is skipped. */
  finishedBefore: boolean[];
  /** By the row's index: they bring nothing, since they ended so or a row that feeds them did. */
  barren?: ReadonlySet<number>;
  /** What was rendered before for rows that would be submitted; undefined where nothing was looked for. */
  earlier?: FoundRenders;
}

interface RowCounter {
  add(row: Row): Promise<void>;
  finish(): Promise<CountedRows>;
}

export interface RowCounterOptions extends PlannerOptions {
  /** Rows of the batch as it is; those that are added are taken out. */
  leaving?: Set<string>;
  /** Rows are counted also where what feeds them has ended without an output. */
  countsUnfed?: true;
  /** Absent where names need not be looked at. */
  takenNames?: TakenNames;
  /** Of taken names not the first ones alone. */
  keepsAllTaken?: boolean;
  /** Absent where earlier renders need not be looked for. */
  earlier?: EarlierRenders | undefined;
  /** Absent where files can be uploaded for columns that take URLs alone, or were looked at before. */
  feederUrls?: FeederUrls | undefined;
  /** Absent where what was changed with its feeders is paid again with them. */
  keepFed?: KeepFedRows | undefined;
}

const BUFFERED_MAX = 500;
const KEPT_MAX = 20;
/** Bounds what is held of names that may be copies. */
const COPIED_MAX = 100_000;

export async function createRowCounter(at: BatchPlace, options: RowCounterOptions): Promise<RowCounter> {
  const prices = await knownPrices(at);
  const waits = waitsOf(at.session.config);
  const planner = await createRowPlanner(at, options);
  const counted: CountedRows = {
    tally: newPlanTally(),
    inChains: newPlanTally(),
    changed: [],
    taken: [],
    takenCount: 0,
    skipped: [],
    feeding: [],
    reopened: [],
    kept: [],
    lost: [],
    outputBytes: 0,
    signedSeconds: 0,
    contradicted: new Map(),
    finishedBefore: [],
  };
  let buffer: Row[] = [];
  /** By index: what shares the render of one of them is rendered by itself. */
  const skipped = new Set<number>();
  const copied: TakenName[] = [];
  const chainCosts = createChainCosts();
  const unfed = planner.isKnown && options.countsUnfed !== true ? createUnfedRows() : undefined;

  function noteTaken(taken: TakenName): void {
    counted.takenCount += 1;
    if (options.keepsAllTaken || counted.taken.length < KEPT_MAX) counted.taken.push(taken);
  }

  /** What becomes of a row once its name was looked at. */
  async function besides(planned: PlannedRow): Promise<RowPlan> {
    const { row, plan } = planned;
    const names = options.takenNames;
    if (names === undefined) return plan;
    const isRecorded = plan.plan === 'skipped';
    const inWay = await names.inWayOf(planned);
    const mayStay = inWay !== undefined && inWay.isAbove !== true;
    if (mayStay && names.onExists === 'skip') {
      const { id, kind, hash, index, shares } = row;
      counted.skipped.push({ row: { id, kind, hash, index, ...defined({ shares }) }, file: inWay.file, isRecorded });
      return { plan: 'skipped' };
    }
    // What an earlier command copied before it was killed is told apart once it is known what is taken over.
    if (mayStay && options.earlier !== undefined && copied.length < COPIED_MAX) copied.push(takenName(row, inWay));
    else if (inWay !== undefined) noteTaken(takenName(row, inWay));
    if (isRecorded) counted.reopened.push(row.id);
    return isRecorded ? freshPlan(row) : plan;
  }

  async function book(planned: PlannedRow): Promise<void> {
    const { row } = planned;
    const named = await besides(planned);
    for (const { at } of fedMedia(row)) counted.feeding[at] = true;
    if (named.plan === 'skipped') skipped.add(row.index);
    const isAlone = named.plan === 'shared' && row.shares !== undefined && skipped.has(row.shares);
    const plan: RowPlan = isAlone ? { plan: 'submit' } : named;
    if (planned.lost !== undefined) counted.lost.push(planned.lost);
    if (planned.isKept) counted.kept.push({ id: row.id, hash: row.hash });
    noteChanged(counted.changed, planned);
    const isIdle = plan.plan === 'finished' || plan.plan === 'skipped';
    if (!isIdle) counted.outputBytes += outputBytes(row);
    counted.finishedBefore[row.index] = isIdle;
    const isPriced = plan.plan === 'submit' || plan.plan === 'shared';
    const price = isPriced ? listPrice(row, prices) : null;
    tallyRow(counted.tally, row, plan, price);
    chainCosts.link(row);
    unfed?.add(row, plan, price);
    if (plan.plan === 'submit') chainCosts.add(row, price);
    if (isPriced) noteContradiction(counted.contradicted, row, prices);
    if (plan.plan === 'submit') {
      await options.feederUrls?.add(row);
      const hasUploadStore = options.feederUrls === undefined;
      if (isSigned(row, hasUploadStore))
        counted.signedSeconds = Math.max(counted.signedSeconds, reachableSeconds(row, waits));
    }
    // What the row has is its own; that of a row which left the manifest, or asks for something else now, is anybody's.
    for (const name of takenBy(at.batch, planned)) options.earlier?.noteTaken(name);
    if (plan.plan === 'submit' && planned.mayReuse) await options.earlier?.add(row, price);
  }

  async function findEarlier(): Promise<void> {
    const { tally, finishedBefore } = counted;
    const earlier = await options.earlier?.finish({
      finishedBefore,
      onReused: (row) => {
        tallyReused(tally, row, row.price);
        chainCosts.remove(row.index);
        finishedBefore[row.index] = true;
      },
      onElsewhere: (row) => tallyElsewhere(tally, row, row.price),
    });
    if (earlier !== undefined) counted.earlier = earlier;
    for (const one of await namesOfOthers(at, copied, earlier)) noteTaken(one);
  }

  async function flush(): Promise<void> {
    const rows = buffer;
    buffer = [];
    const planned = await planner.plan(rows);
    for (const one of options.keepFed ? await options.keepFed(planned) : planned) await book(one);
  }

  return {
    add: async (row) => {
      options.leaving?.delete(row.id);
      buffer.push(row);
      if (buffer.length >= BUFFERED_MAX) await flush();
    },
    finish: async () => {
      await flush();
      const barren = unfed?.leave(counted.tally, chainCosts);
      await findEarlier();
      return { ...counted, inChains: chainCosts.total(), ...defined({ barren }) };
    },
  };
}
