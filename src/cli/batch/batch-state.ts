import type { RunningBatch } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import type { StopReason } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import type { Hint } from '../../domain/order-words.js';
import type { LiveWord, Status } from '../../domain/outcome.js';
import {
  isCancelledBatch,
  quoteInForce,
  type SampleState,
  sampleState,
  stoppedReason,
} from '../../home/batch-marks.js';
import { type BatchOrder, readBatchOptions, readBatchOrder } from '../../home/batch-order.js';
import { readPlannedPrices } from '../../home/planned-prices.js';
import { hasLeftAlone } from '../../home/row-orders.js';
import type { SampleQuote } from '../../home/sample-quote.js';
import { StoreError } from '../../store/port.js';
import type { HomeAccess } from '../access/home-access.js';
import { openSights, type Sights } from '../access/sights.js';
import { hintsOf } from '../open-session.js';
import { createFileInWay, shownProgress } from '../plan/file-in-way.js';
import type { Session } from '../session.js';
import { creditsJson } from '../views/counts.js';
import type { Eta } from '../views/durations.js';
import { standstillTexts } from '../views/troubles.js';
import { etaOfBatch } from './batch-eta.js';
import { batchTally } from './batch-tally.js';
import { expectedCredits, restCost } from './expected-cost.js';
import { type RowsLeft, readRowsLeft } from './final-rows.js';
import { damagedOrderText, fullDisk, otherHomeText } from './known-batch.js';
import { type NoticesLeft, noticesOf } from './notices-left.js';

/** Where a batch stands, for `status` and `list`: counts from the home, its phase from the workflow. */
export interface BatchStateReport {
  batch: string;
  /** `not running` while no engine runs it; `unknown` when Temporal does not answer. */
  state: 'finished' | 'sampled' | 'not running' | 'unknown' | BatchProgress['phase'];
  rows: number;
  counts: Record<Status, number>;
  /** Rows that have not ended, by what the ledger says of them. */
  live: Partial<Record<LiveWord, number>>;
  /** The id of the row that the first held one waits for; absent where none is held. */
  heldFor?: string;
  /** Rows that ended and need a person. */
  needPerson: number;
  /** Null where no row's cost is known. */
  credits: string | null;
  creditsUnknown: number;
  /** What it will have cost if its open rows cost as those that are done; null where that is not known. */
  creditsExpected: string | null;
  /** The manifest that was run last, as an absolute path; null for standard input, or where it is not known. */
  manifest: string | null;
  out: string;
  createdAt: string;
  /** When the last row ended. */
  lastEndedAt: string | null;
  /** How long the rest will take, by what ended since the batch was started last; null where that is not known. */
  eta: Eta | null;
  /** Its upper end. */
  etaSeconds: number | null;
  generation: string;
  /** What feeds rows came after they had ended, or by an order that left them alone. */
  waitsForRetry: boolean;
  /** What of its rows waits for an order; absent while the batch has not ended, and where nothing does. */
  left?: RowsLeft;
  /** Why the batch stopped by itself before its last row. */
  stopped: StopReason | null;
  /** Of a batch that was begun with a sample: whether its rest waits for a person or was approved. */
  sample: SampleState | null;
  /** What that sample showed, and what the rest would cost and take; absent where no rest waits. */
  quote?: SampleQuote;
  /** All that keeps the batch from going on, in sentences. */
  blocked: string | null;
  /** What was to be told of the batch and has not arrived, and what was given up; absent where nothing is. */
  notices?: NoticesLeft;
}

/** What a command shows of batches, and what keeps all of them from going on, in sentences. */
export interface AccountState {
  reports: BatchStateReport[];
  blocked: string | null;
  /** Somebody works for the account. */
  isServed: boolean;
}

/** Batches that the home does not know are left out. Starts nothing. */
export async function readStates(
  session: Session,
  access: HomeAccess,
  batches: readonly string[],
  opening: Promise<Sights | undefined> = openSights(session),
): Promise<AccountState> {
  const sights = await opening;
  try {
    const reports: BatchStateReport[] = [];
    for (const batch of batches) {
      const report = await readBatchState(access, sights, batch, hintsOf(session));
      if (report !== undefined) reports.push(report);
    }
    const unserved = await sights?.unserved();
    const blocked = [unserved, await fullDisk(session)].filter((text) => text !== undefined).join('; ') || null;
    return { reports, blocked, isServed: sights !== undefined && unserved === undefined };
  } finally {
    await sights?.close();
  }
}

/** Undefined when the home does not know the batch: a manifest that was refused leaves none. */
export async function readBatchState(
  access: HomeAccess,
  sights: Sights | undefined,
  batch: string,
  hint: Hint,
): Promise<BatchStateReport | undefined> {
  const { home, rows } = access;
  const bound = await home.readBatch(batch);
  const generation = bound && (await rows.currentGeneration(batch));
  if (bound === undefined || generation === undefined) return undefined;
  const running = await sights?.look(batch);
  const order = await readBatchOrder(home, batch);
  const seen = running === 'unknown' ? undefined : running && (await shown(access, batch, running, order));
  const tally = await batchTally(access, batch, generation, { sinceMs: seen?.progress.startedAtMs ?? 0 });
  const { counts, live, heldFor, open, forPerson, endedAtMs, creditsNano, creditsUnknown } = tally;
  const restNano = restCost(tally, open === 0 ? {} : await readPlannedPrices(home, batch));
  const sample = await sampleState(home, batch, generation);
  const restState = sample === 'waiting' && !(await isCancelledBatch(home, batch)) ? 'sampled' : 'finished';
  const blocked = seen === undefined ? [] : standstillTexts({ ...seen, batch, hint, live, atMs: Date.now() });
  const otherHome = order?.isPaused === true ? await otherHomeText(access, batch) : undefined;
  if (otherHome !== undefined) blocked.unshift(`${otherHome}: bring that one back`);
  if (order?.isDamaged) blocked.unshift(damagedOrderText(batch));
  const maxNano = order?.limits.maxCreditsNano ?? null;
  const eta =
    seen === undefined || blocked.length > 0
      ? null
      : await etaOfBatch(access, batch, seen, tally, { maxNano, restNano });
  const state = running === 'unknown' ? running : (seen?.progress.phase ?? (open > 0 ? 'not running' : restState));
  const isOver = state === 'finished' || state === 'ended';
  return {
    ...{ batch, state },
    rows: (await rows.generation(batch, generation))?.rows ?? 0,
    ...{ counts, live, needPerson: forPerson, creditsUnknown },
    ...defined({ heldFor }),
    credits: creditsJson(creditsNano, creditsUnknown),
    creditsExpected: expectedCredits(tally, restNano),
    manifest: await manifestOf(access, batch),
    out: `${bound.out}/${batch}`,
    createdAt: new Date(bound.createdAtMs).toISOString(),
    lastEndedAt: endedAtMs === undefined ? null : new Date(endedAtMs).toISOString(),
    eta,
    etaSeconds: eta?.highSeconds ?? null,
    ...{ generation, sample },
    waitsForRetry: counts.not_started > 0 && (await hasLeftAlone(home, batch)),
    stopped: (await stoppedReason(home, batch)) ?? null,
    blocked: blocked.join('; ') || null,
    ...defined({ left: isOver ? await readRowsLeft(access, batch, generation, counts.not_started) : undefined }),
    ...defined({ quote: await quoteInForce(home, batch, generation), notices: await noticesOf(access, batch) }),
  };
}

async function shown(
  access: HomeAccess,
  batch: string,
  { progress, slots }: RunningBatch,
  order: BatchOrder | undefined,
): Promise<RunningBatch> {
  const known = await shownProgress(progress, createFileInWay(access, batch));
  // A pause that was ordered while Temporal was away holds, and its workflow has not heard of it.
  const isPaused = order?.isPaused === true && known.phase === 'running';
  return { progress: isPaused ? { ...known, phase: 'paused' } : known, slots };
}

async function manifestOf({ home }: HomeAccess, batch: string): Promise<string | null> {
  try {
    return (await readBatchOptions(home, batch)).manifest ?? null;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
