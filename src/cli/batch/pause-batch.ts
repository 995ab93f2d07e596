import { pauseBatch } from '../../contract/messages.js';
import { orderPause } from '../../home/batch-order.js';
import { joinWork, rejoinWork, type WorkAccess } from '../access/work-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { signalRunning, UNHEARD, unlessOutage } from './batch-source.js';
import { type KnownBatch, knownBatch, otherHomeText } from './known-batch.js';

/** Nothing new of a batch that runs is submitted until it is resumed. */
export async function pauseRunning(session: Session, batch: string): Promise<void> {
  const known = await knownBatch(session, batch);
  const otherHome = await otherHomeText(known.access, batch);
  // On such a home an engine that runs is told to pause, and none is started: it would go on with what it knows.
  const work = otherHome === undefined ? await rejoinWork(session) : await joinWork(session);
  if (work === undefined) {
    throw new UserError(
      `${otherHome}: no engine runs on it and none was started, so nothing is submitted; bring that home back`,
      EXIT.configuration,
    );
  }
  try {
    await orderPaused(known, work);
  } finally {
    await work.close();
  }
}

export async function orderPaused(known: KnownBatch, work: WorkAccess): Promise<void> {
  const { session, access, batch } = known;
  // The order first: from here on nothing of the batch is submitted, however long the message takes.
  const isNew = await orderPause(access.home, batch, true);
  try {
    const isHeard = await unlessOutage(signalRunning(known, work, pauseBatch).then(() => true));
    if (isHeard === undefined) session.terminal.warn(UNHEARD);
  } catch (error) {
    // It does not run: an order that was refused must not hold back its next run.
    if (isNew && error instanceof UserError) await orderPause(access.home, batch, false);
    throw error;
  }
}
