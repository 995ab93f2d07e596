import { pauseBatch } from '../../contract/messages.js';
import { orderPause, readBatchOrder } from '../../home/batch-order.js';
import { joinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { sayMeanwhile } from '../terminal.js';
import { EXIT, UserError } from '../user-error.js';
import { signalRunning, UNHEARD, unlessOutage } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { type KnownBatch, knownBatch, otherHomeText } from './known-batch.js';

/** Nothing new of a batch is submitted until it is resumed. No engine is started for it. */
export async function pauseRunning(session: Session, batch: string): Promise<void> {
  await orderPaused(await knownBatch(session, batch), () => joinWork(session));
}

export async function orderPaused(known: KnownBatch, join: () => Promise<WorkAccess | undefined>): Promise<void> {
  const { home } = known.access;
  // The order first: from here on nothing of the batch is submitted, however long it takes to reach who runs it.
  const isNew = await orderPause(home, known.batch, true);
  // What cannot be reached may run the batch all the same.
  const reached = await unlessOutage(join().then((work) => ({ work })));
  try {
    await tellPaused(known, reached);
  } catch (error) {
    // It does not run: an order that was refused must not hold back its next run.
    if (isNew && error instanceof UserError) await orderPause(home, known.batch, false);
    throw error;
  } finally {
    await reached?.work?.close();
  }
}

/** `reached`: undefined where nobody answered. Throws a UserError where there is nothing to pause. */
async function tellPaused(known: KnownBatch, reached: { work: WorkAccess | undefined } | undefined): Promise<void> {
  const { session, access, batch } = known;
  const work = reached?.work;
  if (work !== undefined) {
    const isHeard = await unlessOutage(signalRunning(known, work, pauseBatch).then(() => true));
    if (isHeard) return;
  } else {
    if (reached !== undefined) await refuseOtherHome(known);
    await refuseEnded(known);
  }
  if ((await readBatchOrder(access.home, batch))?.isPaused !== true) {
    throw new UserError(
      `'${batch}' was run by an older build, which looks up no order in the home, and nobody answers who could pause it: try again once somebody does`,
      EXIT.unreachable,
    );
  }
  session.terminal.warn(reached === undefined || work !== undefined ? UNHEARD : NO_ENGINE);
}

const NO_ENGINE =
  'no engine runs: the order stands in the home, and what was submitted before is fetched once an engine runs again';

async function refuseOtherHome({ access, batch }: KnownBatch): Promise<void> {
  const otherHome = await otherHomeText(access, batch);
  if (otherHome === undefined) return;
  throw new UserError(
    `${otherHome}: no engine runs on it and none was started, so nothing is submitted; bring that home back`,
    EXIT.configuration,
  );
}

/** A batch that nobody can be asked about, and of which the home knows no open row, has ended. */
async function refuseEnded({ session, access, batch, generation }: KnownBatch): Promise<void> {
  const count = () => batchTally(access, batch, generation.generation);
  if ((await sayMeanwhile(session.terminal, `looking at the rows of '${batch}'`, count)).open > 0) return;
  const look = commandHint(session, `status ${batch}`);
  throw new UserError(
    `batch '${batch}' does not run and has no open row, so there is nothing to pause; \`${look}\` shows it`,
    EXIT.usage,
  );
}
