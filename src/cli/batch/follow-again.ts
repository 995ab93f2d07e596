import type { BatchResult } from '../../contract/workflows.js';
import { stoppedReason } from '../../home/batch-marks.js';
import { openHomeAccess } from '../access/home-access.js';
import { rejoinWork } from '../access/work-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { knownBatch } from './known-batch.js';
import { leaveBatch, watchBatch } from './watch-batch.js';

/** Follows a batch that was started before; a finished one is told from the home without starting anything. */
export async function followAgain(session: Session, batch: string): Promise<number> {
  const access = openHomeAccess(session.config);
  const known = await knownBatch(session, access, batch);
  const { out } = known;
  const generation = known.generation.generation;
  const events = newJsonEvents(session, access, batch);
  const tally = await batchTally(access, batch, generation);
  const finishedBefore = known.generation.rows - tally.open;
  const common = { access, batch, generation, out, events, finishedBefore: undefined, lost: [], tookMs: undefined };
  events?.started({ generation, rows: known.generation.rows, toRun: tally.open, out: `${out}/${batch}` });
  if (tally.open === 0) {
    // The mark outlives a cancel; then no row waits for it any more.
    const stopped = tally.counts.not_started > 0 ? await stoppedReason(access.home, batch) : undefined;
    const result: BatchResult = { ...tally, ...(stopped === undefined ? {} : { stopped }) };
    return closeBatch(session, { ...common, result });
  }
  const work = await rejoinWork(session);
  const state = await createBatchSource({ access, batch, work, connect: () => rejoinWork(session) }).state();
  if (state.state !== 'running') {
    await work.close();
    throw new UserError(
      `batch '${batch}' does not run, and ${amount(tally.open, 'row is', 'rows are')} not finished: \`callsheet resume ${batch}\` goes on, or the \`callsheet run …\` that started it`,
      EXIT.standsStill,
    );
  }
  const watched = { access, work, batch, afterSeq: 0, finishedBefore, events, supplyAgain: undefined };
  const end = await watchBatch(session, watched);
  if (end.end !== 'ended') return leaveBatch(session, batch, end, events);
  return closeBatch(session, { ...common, result: end.result });
}
