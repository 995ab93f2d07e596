import { setTimeout as sleep } from 'node:timers/promises';
import { cancelBatch } from '../../contract/messages.js';
import type { SemaphoreView } from '../../contract/semaphore.js';
import { KINDS, providerOf } from '../../domain/kind.js';
import { markCancelled } from '../../store/batch-marks.js';
import { openHomeAccess } from '../access/home-access.js';
import { resumeWork } from '../access/work-access.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { countsText } from '../views/counts.js';
import { formatClock } from '../views/durations.js';
import { type BatchSource, createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { knownBatch } from './known-batch.js';
import { signalRunning } from './signal-batch.js';

/** Cancels a batch and says what still runs, is billed, and is fetched. */

const SETTLE_MS = 15_000;
const LOOK_EVERY_MS = 250;
/** Without a change for so long, what is under way stays under way until it has rendered. */
const QUIET_MS = 1_500;

export async function cancelRunning(session: Session, batch: string): Promise<void> {
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  const { generation, out } = await knownBatch(session, access, batch);
  const before = await batchTally(access, batch, generation.generation);
  if (before.open === 0) {
    if (session.isJson) return terminal.json({ schema: 1, batch, counts: before.counts, stillRunning: 0, until: null });
    return terminal.data(`every row of '${batch}' has ended: nothing to cancel`);
  }
  const work = await resumeWork(session);
  try {
    // The mark first: from here on rows that were never tried count as cancelled, whoever looks.
    await markCancelled(access.home, batch, Date.now());
    const source = createBatchSource({ access, batch, work, connect: () => resumeWork(session) });
    const isRunning = (await source.state()).state === 'running';
    if (isRunning) await signalRunning(session, work, batch, cancelBatch);
    const left = isRunning ? await waitForDrain(session, source, batch) : { stillRunning: 0, untilMs: undefined };
    const { counts } = await batchTally(access, batch, generation.generation);
    const until = left.untilMs === undefined ? null : new Date(left.untilMs).toISOString();
    if (session.isJson) {
      return terminal.json({
        schema: 1,
        batch,
        counts,
        stillRunning: left.stillRunning,
        until,
        out: `${out}/${batch}`,
      });
    }
    terminal.data(`'${batch}' is cancelled: nothing new is submitted (${countsText(counts)})`);
    for (const line of leftLines(session, batch, left)) terminal.data(line);
  } finally {
    await work.close();
  }
}

interface Left {
  stillRunning: number;
  /** The latest time at which the last of them has ended by the longest render. */
  untilMs: number | undefined;
}

/** Waits until the jobs that could still be stopped have stopped. */
async function waitForDrain(session: Session, source: BatchSource, batch: string): Promise<Left> {
  let open = -1;
  let changedAtMs = Date.now();
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    const progress = await source.progress();
    if (progress === undefined || progress.phase === 'ended' || (await source.state()).state !== 'running') break;
    if (progress.open !== open) changedAtMs = Date.now();
    open = progress.open;
    if (progress.phase === 'cancelling' && Date.now() - changedAtMs >= QUIET_MS) {
      return { stillRunning: open, untilMs: latestEnd(session, batch, await source.slots()) };
    }
  }
  return { stillRunning: Math.max(0, open), untilMs: undefined };
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

function leftLines(session: Session, batch: string, { stillRunning, untilMs }: Left): string[] {
  if (stillRunning === 0) return ['nothing of it runs at the service any more'];
  const until = untilMs === undefined ? '' : `, at the latest until ${formatClock(untilMs)}`;
  const watch = commandHint(session, `watch ${batch}`);
  return [
    `${stillRunning} jobs were accepted by the service before: they render on${until}, are billed, and are fetched`,
    `watch: ${watch}`,
  ];
}
