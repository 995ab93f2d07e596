import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { cancelBatch } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import type { SemaphoreView } from '../../contract/semaphore-view.js';
import { KINDS, providerOf } from '../../domain/kind.js';
import { clearCancelled, isCancelledBatch, markCancelled, stoppedReason } from '../../home/batch-marks.js';
import { resultLines } from '../../home/result-lines.js';
import { dropReruns } from '../../home/row-orders.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { joinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint } from '../hints.js';
import { sayMeanwhile } from '../say-meanwhile.js';
import type { Session } from '../session.js';
import { type Counts, countsText } from '../views/counts.js';
import { type BatchSource, createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { type Left, leftLines, restLines } from './cancel-lines.js';
import { resultSources } from './final-rows.js';
import { knownBatch } from './known-batch.js';
import { unlessOutage } from './outage.js';

/** Cancels a batch and says what still runs, is billed, and is fetched. The order comes first, the counting after it. */

const SETTLE_MS = 15_000;
const LOOK_EVERY_MS = 250;
/** Without a change for so long, what is under way stays under way until it has rendered. */
const QUIET_MS = 1_500;
/** The order has taken effect: nobody waits longer than this to see the counts. */
const COUNT_MS = 30_000;
const COUNTING = 'what can still be stopped is being stopped, and its rows are counted';

export async function cancelRunning(session: Session, batch: string): Promise<void> {
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  const { generation, out } = await knownBatch(session, access, batch);
  const { home } = access;
  const isMarkNew = !(await isCancelledBatch(home, batch));
  // The mark first: from here on nothing of the batch is submitted, and rows that were never tried count as cancelled.
  await markCancelled(home, batch, Date.now());
  await dropReruns(access, batch, Date.now());
  const work = await reachWork(session);
  try {
    const running = typeof work === 'string' ? undefined : await findRunning(access, batch, work);
    const hadOpen = () => hadOpenRows(access, batch, generation.generation, isMarkNew);
    if (running === undefined && !(await sayMeanwhile(terminal, `looking at the rows of '${batch}'`, hadOpen))) {
      if (isMarkNew) await clearCancelled(home, batch);
      return sayEnded(session, batch, (await batchTally(access, batch, generation.generation)).counts);
    }
    const isHeard = running === undefined ? work !== 'nobody answers' : await hears(session, running.work, batch);
    if (!isHeard) {
      terminal.warn('Temporal does not answer: the order stands in the home, and nothing of the batch is submitted');
    }
    const { left, counts } = await sayMeanwhile(
      terminal,
      `nothing new of '${batch}' is submitted: ${COUNTING}`,
      async () => ({
        left: running && (await waitForDrain(session, running.source, batch)),
        counts: await countInTime(access, batch, generation.generation),
      }),
    );
    if (counts === null) {
      const look = commandHint(session, `status ${batch}`);
      terminal.warn(`the order has taken effect; its rows could not be counted in time: \`${look}\` shows them`);
    }
    const until = left?.untilMs === undefined ? null : new Date(left.untilMs).toISOString();
    const stillRunning = left === undefined ? (isHeard ? 0 : null) : left.stillRunning;
    if (session.isJson) {
      return terminal.json({ schema: 1, batch, counts, stillRunning, until, out: `${out}/${batch}` });
    }
    const counted = counts === null ? '' : ` (${countsText(counts)})`;
    terminal.data(`'${batch}' is cancelled: nothing new is submitted${counted}`);
    for (const line of left === undefined ? restLines(session, isHeard) : leftLines(session, batch, left)) {
      terminal.data(line);
    }
  } finally {
    if (typeof work !== 'string') await work.close();
  }
}

/** What cannot be reached may run the batch all the same. */
async function reachWork(session: Session): Promise<WorkAccess | 'nothing runs' | 'nobody answers'> {
  return (await unlessOutage(joinWork(session).then((work) => work ?? 'nothing runs'))) ?? 'nobody answers';
}

/** Whether a row is under way, or might have been tried but for the order that was given just now. */
async function hadOpenRows(
  access: HomeAccess,
  batch: string,
  generation: string,
  isMarkNew: boolean,
): Promise<boolean> {
  const mightStart = isMarkNew && (await stoppedReason(access.home, batch)) === undefined;
  for await (const { live, ended, removed } of resultLines(resultSources(access), batch, generation)) {
    if (!removed && (live !== undefined || (mightStart && ended === 'cancelled'))) return true;
  }
  return false;
}

function sayEnded({ isJson, terminal }: Session, batch: string, counts: Counts): void {
  if (isJson) terminal.json({ schema: 1, batch, counts, stillRunning: 0, until: null });
  else terminal.data(`every row of '${batch}' has ended: nothing to cancel`);
}

interface RunningBatch {
  work: WorkAccess;
  source: BatchSource;
}

async function findRunning(access: HomeAccess, batch: string, work: WorkAccess): Promise<RunningBatch | undefined> {
  const source = createBatchSource({ access, batch, work, connect: async () => work });
  return (await mayRun(source)) ? { work, source } : undefined;
}

/** A server that does not answer may run it. */
async function mayRun(source: BatchSource): Promise<boolean> {
  try {
    return (await source.state()).state === 'running';
  } catch {
    return true;
  }
}

async function hears(session: Session, work: WorkAccess, batch: string): Promise<boolean> {
  const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
  try {
    await handle.signal(cancelBatch);
    return true;
  } catch (error) {
    // It ended meanwhile.
    return error instanceof WorkflowNotFoundError;
  }
}

async function countInTime(access: HomeAccess, batch: string, generation: string): Promise<Counts | null> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), COUNT_MS);
  try {
    return (await batchTally(access, batch, generation, { signal: giveUp.signal })).counts;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the jobs that could still be stopped have stopped. */
async function waitForDrain(session: Session, source: BatchSource, batch: string): Promise<Left> {
  let open = -1;
  let isAnswered = false;
  let changedAtMs = Date.now();
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    const progress = await lookedAt(() => source.progress());
    if (progress === 'no answer') continue;
    isAnswered = true;
    if (progress === undefined || progress.phase === 'ended' || !(await mayRun(source))) break;
    if (progress.open !== open) changedAtMs = Date.now();
    open = progress.open;
    if (progress.phase === 'cancelling' && Date.now() - changedAtMs >= QUIET_MS) {
      const slots = await lookedAt(() => source.slots());
      return { stillRunning: open, untilMs: latestEnd(session, batch, slots === 'no answer' ? undefined : slots) };
    }
  }
  return { stillRunning: isAnswered ? Math.max(0, open) : null, untilMs: undefined };
}

/** A worker that is busy with a large batch may answer late: that is no failure of the order. */
async function lookedAt<T>(look: () => Promise<T>): Promise<T | 'no answer'> {
  try {
    return await look();
  } catch {
    return 'no answer';
  }
}

function latestEnd({ config }: Session, batch: string, slots: SemaphoreView | undefined): number | undefined {
  const { renderMaxSeconds } = config.waits;
  const ends = (slots?.holders ?? []).flatMap(({ job, kind, sinceMs, releaseAtMs }) => {
    const known = KINDS[kind];
    if (job.batch !== batch || known === undefined) return [];
    const seconds = renderMaxSeconds[providerOf(known)] ?? renderMaxSeconds.default ?? 3600;
    return [releaseAtMs ?? sinceMs + (seconds * 1000) / config.timeScale];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
