import { setTimeout as sleep } from 'node:timers/promises';
import { cancelBatch } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import type { SemaphoreView } from '../../contract/semaphore-view.js';
import { providerOf } from '../../domain/kind.js';
import { clearCancelled, isCancelledBatch, markCancelled, stoppedReason } from '../../home/batch-marks.js';
import { resultLines } from '../../home/result-lines.js';
import { dropReruns } from '../../home/row-orders.js';
import { absentIsUndefined } from '../../temporal/look.js';
import { resultSources } from '../access/home-access.js';
import { joinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { sayMeanwhile } from '../terminal.js';
import { type Counts, countsText } from '../views/counts.js';
import { formatClock } from '../views/durations.js';
import { type BatchSource, createBatchSource, UNHEARD, unlessOutage } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { type KnownBatch, knownBatch } from './known-batch.js';

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
  await dropReruns(known.access, batch, Date.now());
  // What cannot be reached may run the batch all the same.
  const reached = await unlessOutage(joinWork(session).then((work) => ({ work })));
  try {
    const running = reached?.work && (await findRunning(known, reached.work));
    const hadOpen = () => hadOpenRows(known, isMarkNew);
    if (running === undefined && !(await sayMeanwhile(terminal, `looking at the rows of '${batch}'`, hadOpen))) {
      if (isMarkNew) await clearCancelled(home, batch);
      const { counts } = await batchTally(known.access, batch, known.generation.generation);
      if (session.isJson) terminal.json({ schema: 1, batch, counts, stillRunning: 0, until: null });
      else terminal.data(`every row of '${batch}' has ended: nothing to cancel`);
      return;
    }
    const isHeard = running === undefined ? reached !== undefined : await hears(known, running.work);
    if (!isHeard) {
      terminal.warn(UNHEARD);
    }
    const doing = `nothing new of '${batch}' is submitted: what can still be stopped is being stopped, and its rows are counted`;
    const end = await sayMeanwhile(terminal, doing, async () => ({
      left: running && (await waitForDrain(known, running.source)),
      counts: await countInTime(known),
    }));
    tellCancelled(known, { ...end, isHeard });
  } finally {
    await reached?.work?.close();
  }
}

interface Cancelled {
  /** What the service accepted before; undefined where the batch does not run. */
  left: Left | undefined;
  /** Null where the rows could not be counted in time. */
  counts: Counts | null;
  isHeard: boolean;
}

interface Left {
  /** Null where nobody answered who could count them. */
  stillRunning: number | null;
  /** The latest time at which the last of them has ended by the longest render. */
  untilMs: number | undefined;
}

function tellCancelled({ session, batch, out }: KnownBatch, { left, counts, isHeard }: Cancelled): void {
  const { terminal } = session;
  if (counts === null) {
    const look = commandHint(session, `status ${batch}`);
    terminal.warn(`the order has taken effect; its rows could not be counted in time: \`${look}\` shows them`);
  }
  if (session.isJson) {
    const until = left?.untilMs === undefined ? null : new Date(left.untilMs).toISOString();
    const stillRunning = left === undefined ? (isHeard ? 0 : null) : left.stillRunning;
    terminal.json({ schema: 1, batch, counts, stillRunning, until, out: `${out}/${batch}` });
    return;
  }
  const counted = counts === null ? '' : ` (${countsText(counts)})`;
  terminal.data(`'${batch}' is cancelled: nothing new is submitted${counted}`);
  for (const line of left === undefined ? restLines(session, isHeard) : leftLines(session, batch, left)) {
    terminal.data(line);
  }
}

function leftLines(session: Session, batch: string, { stillRunning, untilMs }: Left): string[] {
  if (stillRunning === null) {
    const look = commandHint(session, `status ${batch}`);
    return [
      `the worker does not answer: what the service accepted before renders on and is billed; \`${look}\` counts it`,
    ];
  }
  if (stillRunning === 0) return ['nothing of it runs at the service any more'];
  const until = untilMs === undefined ? '' : `, at the latest until ${formatClock(untilMs)}`;
  const watch = commandHint(session, `watch ${batch}`);
  return [
    `${stillRunning} jobs were accepted by the service before: they render on${until}, are billed, and are fetched`,
    `watch: ${watch}`,
  ];
}

function restLines(session: Session, isHeard: boolean): string[] {
  if (!isHeard) return ['what the service accepted before renders on, is billed, and is fetched once Temporal answers'];
  const resume = commandHint(session, 'resume --all');
  return [`it does not run now; what the service accepted before is fetched by \`${resume}\``];
}

/** Whether a row is under way, or might have been tried but for the order that was given just now. */
async function hadOpenRows({ access, batch, generation }: KnownBatch, isMarkNew: boolean): Promise<boolean> {
  const mightStart = isMarkNew && (await stoppedReason(access.home, batch)) === undefined;
  for await (const { live, ended, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    if (!removed && (live !== undefined || (mightStart && ended === 'cancelled'))) return true;
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

async function countInTime({ access, batch, generation }: KnownBatch): Promise<Counts | null> {
  const signal = AbortSignal.timeout(COUNT_MS);
  const tally = await answered(() => batchTally(access, batch, generation.generation, { signal }));
  return tally === 'no answer' ? null : tally.counts;
}

/** Waits until the jobs that could still be stopped have stopped. */
async function waitForDrain({ session, batch }: KnownBatch, source: BatchSource): Promise<Left> {
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
      return { stillRunning: open, untilMs: latestEnd(session, batch, slots === 'no answer' ? undefined : slots) };
    }
  }
  return { stillRunning: isAnswered ? Math.max(0, open) : null, untilMs: undefined };
}

/** A worker that is busy with a large batch may answer late: that is no failure of the order. */
async function answered<T>(look: () => Promise<T>): Promise<T | 'no answer'> {
  return look().catch(() => 'no answer' as const);
}

function latestEnd({ config }: Session, batch: string, slots: SemaphoreView | undefined): number | undefined {
  const { renderMaxSeconds } = config.waits;
  const ends = (slots?.holders ?? []).flatMap(({ job, kind, sinceMs, releaseAtMs }) => {
    if (job.batch !== batch) return [];
    const seconds = renderMaxSeconds[providerOf(kind)] ?? renderMaxSeconds.default ?? 3600;
    return [releaseAtMs ?? sinceMs + (seconds * 1000) / config.timeScale];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
