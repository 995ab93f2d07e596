import { pauseBatch } from '../../contract/messages.js';
import { EngineError } from '../../engine/engine-error.js';
import { orderPause } from '../../home/batch-order.js';
import { TemporalUnreachableError } from '../../temporal.js';
import { joinWork, rejoinWork, type WorkAccess } from '../access/work-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { signalRunning, UNHEARD, unlessOutage } from './batch-source.js';
import { type KnownBatch, knownBatch, otherHomeText } from './known-batch.js';

/** Nothing new of a batch that runs is submitted until it is resumed. */
export async function pauseRunning(session: Session, batch: string): Promise<void> {
  const known = await knownBatch(session, batch);
  const otherHome = await otherHomeText(known.access, batch);
  await orderPaused(known, () => (otherHome === undefined ? rejoinWork(session) : joinOnly(session, otherHome)));
}

/** On such a home an engine that runs is told to pause, and none is started: it would go on with what it knows. */
async function joinOnly(session: Session, otherHome: string): Promise<WorkAccess> {
  const work = await joinWork(session);
  if (work !== undefined) return work;
  throw new UserError(
    `${otherHome}: no engine runs on it and none was started, so nothing is submitted; bring that home back`,
    EXIT.configuration,
  );
}

export async function orderPaused(known: KnownBatch, reach: () => Promise<WorkAccess>): Promise<void> {
  const { session, access, batch } = known;
  // The order first: from here on nothing of the batch is submitted, however long it takes to reach who runs it.
  const isNew = await orderPause(access.home, batch, true);
  let work: WorkAccess | undefined;
  try {
    work = await reach().catch(unlessUnreachable);
    const isHeard = work && (await unlessOutage(signalRunning(known, work, pauseBatch).then(() => true)));
    if (isHeard === undefined) session.terminal.warn(UNHEARD);
  } catch (error) {
    // It does not run, or nobody could be asked: an order that was refused must not hold back its next run.
    if (isNew) await orderPause(access.home, batch, false);
    throw error;
  } finally {
    await work?.close();
  }
}

/** A server that is away, or an engine that stands still, may run the batch all the same; whatever else is an answer. */
function unlessUnreachable(error: unknown): undefined {
  const isSilent = error instanceof EngineError && error.code === 'not_responding';
  if (!isSilent && !(error instanceof TemporalUnreachableError)) throw error;
  return undefined;
}
