import { setTimeout as sleep } from 'node:timers/promises';
import { cancelBatch } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import type { SemaphoreView } from '../../contract/semaphore-view.js';
import { providerOf } from '../../domain/kind.js';
import { clearCancelled, isCancelledBatch, markCancelled, stoppedReason } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { resultLines } from '../../home/result-lines.js';
import { dropReruns } from '../../home/row-orders.js';
import { absentIsUndefined } from '../../temporal/look.js';
import { resultSources } from '../access/home-access.js';
import { joinWork, type WorkAccess } from '../access/work-access.js';
import type { Session } from '../session.js';
import { sayMeanwhile } from '../terminal.js';
import { amount } from '../views/counts.js';
import { type BatchSource, createBatchSource, UNHEARD, unlessOutage } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { keptRetry } from './batch-terms.js';
import { type KnownBatch, knownBatch } from './known-batch.js';
import { type Cancelled, type Left, tellCancelled, type Uncounted } from './tell-cancelled.js';
import { isQueued } from './what-is-left.js';

/** Cancels a batch and says what still runs, is billed, and is fetched. The order comes first, the counting after it. */

const SETTLE_MS = 15_000;
const LOOK_EVERY_MS = 250;
/** Without a change for so long, what is under way stays under way until it has rendered. */
const QUIET_MS = 1_500;
/** The order has taken effect: nobody waits longer than this to see the counts. */
const COUNT_MS = 30_000;

export async function cancelRunning(session: Session, batch: string): Promise<void> {
  const { terminal } = session;
  const known = await knownBatch(session, batch);
  const { home } = known.access;
  const isMarkNew = !(await isCancelledBatch(home, batch));
  // The mark first: from here on nothing of the batch is submitted, and rows that were never tried count as cancelled.
  await markCancelled(home, batch, Date.now());
  const dropped = await dropReruns(known.access, batch, Date.now());
  // What cannot be reached may run the batch all the same.
  const reached = await unlessOutage(joinWork(session).then((work) => ({ work })));
  try {
    const running = reached?.work && (await findRunning(known, reached.work));
    const hadOpen = () => hadOpenRows(known, isMarkNew);
    if (running === undefined && !(await sayMeanwhile(terminal, `looking at the rows of '${batch}'`, hadOpen))) {
      if (isMarkNew) await clearCancelled(home, batch);
      return tellEnded(known, dropped);
    }
    const isHeard = running === undefined ? reached !== undefined : await hears(known, running.work);
    if (!isHeard) {
      terminal.warn(UNHEARD);
    }
    const doing = `nothing new of '${batch}' is submitted: what can still be stopped is being stopped, and its rows are counted`;
    const end = await sayMeanwhile(terminal, doing, async () => {
      const drained = running && (await waitForDrain(known, running.source));
      const silent = running !== undefined ? 'silent' : isHeard ? 'not running' : 'unheard';
      return countInTime(known, drained ?? silent);
    });
    tellCancelled(known, end);
  } finally {
    await reached?.work?.close();
  }
}

/** Nothing of it was left but, at most, rows that a person had ordered once more: nobody else tells their new end. */
async function tellEnded({ session, access, batch, generation: { generation } }: KnownBatch, dropped: number) {
  const { terminal } = session;
  if (dropped > 0) {
    const { writeEnd } = await import('./write-end.js');
    await writeEnd(access, batch, generation);
  }
  const { counts } = await batchTally(access, batch, generation);
  if (session.isJson) return terminal.json({ schema: 1, batch, counts, stillRunning: 0, until: null });
  const keep = 'that was to be rendered again keeps its earlier file';
  const kept = amount(dropped, `row ${keep}`, 'rows that were to be rendered again keep their earlier files');
  terminal.data(
    dropped > 0
      ? `${kept}; every other row of '${batch}' has ended`
      : `every row of '${batch}' has ended: nothing to cancel`,
  );
}

/** Whether a row is under way, or might have been tried but for the order that was given just now. */
async function hadOpenRows({ access, batch, generation }: KnownBatch, isMarkNew: boolean): Promise<boolean> {
  const mightStart = isMarkNew && (await stoppedReason(access.home, batch)) === undefined;
  const retry = keptRetry(await readBatchOrder(access.home, batch), generation.generation);
  for await (const line of resultLines(resultSources(access), batch, generation.generation)) {
    const { live, ended, record, removed } = line;
    if (!removed && (live !== undefined || (mightStart && (ended === 'cancelled' || isQueued(record, retry)))))
      return true;
  }
  return false;
}

async function findRunning(
  known: KnownBatch,
  work: WorkAccess,
): Promise<{ work: WorkAccess; source: BatchSource } | undefined> {
  const source = createBatchSource(known, work);
  return (await mayRun(source)) ? { work, source } : undefined;
}

/** A server that does not answer may run it. */
async function mayRun(source: BatchSource): Promise<boolean> {
  const state = await answered(() => source.state());
  return state === 'no answer' || state.state === 'running';
}

async function hears({ access, batch }: KnownBatch, { temporal }: WorkAccess): Promise<boolean> {
  const handle = temporal.client.workflow.getHandle(batchId(access.home.account, batch));
  // It may have ended meanwhile.
  return (await answered(() => absentIsUndefined(() => handle.signal(cancelBatch)))) !== 'no answer';
}

/** `seen`: what the workflow says still runs, or why it says nothing: the ledger counts then. */
async function countInTime(known: KnownBatch, seen: Left | Uncounted): Promise<Cancelled> {
  const { access, batch, generation } = known;
  const signal = AbortSignal.timeout(COUNT_MS);
  const tally = await answered(() => batchTally(access, batch, generation.generation, { signal }));
  const counts = tally === 'no answer' ? null : tally.counts;
  if (typeof seen !== 'string') return { counts, left: seen };
  // The job of an answer that was lost may render.
  const { submitting = 0, rendering = 0, checking = 0 } = tally === 'no answer' ? {} : tally.live;
  const inFlight = submitting + rendering + checking;
  const untilMs = inFlight === 0 ? undefined : await answered(() => untilByClaims(known, signal));
  // Whoever does not answer may send a row at this moment: only where nothing runs, no job in the ledger means none.
  const isKnown = inFlight > 0 || (seen === 'not running' && counts !== null);
  const left = { stillRunning: isKnown ? inFlight : null, untilMs: untilMs === 'no answer' ? undefined : untilMs };
  return { counts, left, uncounted: seen, isOver: tally !== 'no answer' && tally.open === 0 };
}

/** By the batch's claims that were not closed; undefined where each of their jobs has had its time. */
async function untilByClaims(known: KnownBatch, signal: AbortSignal): Promise<number | undefined> {
  const claims: Render[] = [];
  for await (const { batch, kind, atMs } of known.access.ledger.open()) {
    signal.throwIfAborted();
    if (batch === known.batch) claims.push({ kind, sinceMs: atMs });
  }
  const untilMs = latestEnd(known.session, claims);
  return untilMs !== undefined && untilMs > Date.now() ? untilMs : undefined;
}

/** Waits until the jobs that could still be stopped have stopped; undefined where nobody answered. */
async function waitForDrain({ session, batch }: KnownBatch, source: BatchSource): Promise<Left | undefined> {
  let open = -1;
  let isAnswered = false;
  let changedAtMs = Date.now();
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    const progress = await answered(() => source.progress());
    if (progress === 'no answer') continue;
    isAnswered = true;
    if (progress === undefined || progress.phase === 'ended' || !(await mayRun(source))) break;
    if (progress.open !== open) changedAtMs = Date.now();
    open = progress.open;
    if (progress.phase === 'cancelling' && Date.now() - changedAtMs >= QUIET_MS) {
      const slots = await answered(() => source.slots());
      const holders = slots === 'no answer' ? [] : (slots?.holders ?? []);
      const renders = holders.filter(({ job }) => job.batch === batch);
      return { stillRunning: open, untilMs: latestEnd(session, renders) };
    }
  }
  return isAnswered ? { stillRunning: Math.max(0, open), untilMs: undefined } : undefined;
}

/** A worker that is busy with a large batch may answer late: that is no failure of the order. */
async function answered<T>(look: () => Promise<T>): Promise<T | 'no answer'> {
  return look().catch(() => 'no answer' as const);
}

type Render = Pick<SemaphoreView['holders'][number], 'kind' | 'sinceMs' | 'releaseAtMs'>;

function latestEnd({ config }: Session, renders: readonly Render[]): number | undefined {
  const { renderMaxSeconds } = config.waits;
  const ends = renders.map(({ kind, sinceMs, releaseAtMs }) => {
    const seconds = renderMaxSeconds[providerOf(kind)] ?? renderMaxSeconds.default ?? 3600;
    return releaseAtMs ?? sinceMs + (seconds * 1000) / config.timeScale;
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
