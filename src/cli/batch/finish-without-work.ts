import { collectedRows, storeReport } from '../../../activities/batch-report.js';
import { writeBatchResults } from '../../../activities/result-files.js';
import type { BatchResult } from '../../contract/workflows.js';
import { stoppedReason } from '../../home/batch-marks.js';
import { createPosters } from '../../report/posters.js';
import { type BatchPlace, openPlace, resultSources } from '../access/home-access.js';
import { rejoinWork } from '../access/work-access.js';
import type { CountedRows } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { type KnownBatch, knownBatch } from './known-batch.js';
import { leaveBatch, watchBatch } from './watch-batch.js';

/** What a command tells of a batch that it has nothing to run of. */

type Standing = BatchPlace & Pick<KnownBatch, 'generation' | 'out'>;

/** Every row is finished already: the summary comes from the home; no engine starts and nothing is sent. */
export async function finishWithoutWork(at: Standing, rows: CountedRows): Promise<number> {
  const { session, access, batch, generation, out } = at;
  const isCurrent = (await access.rows.currentGeneration(batch)) === generation.generation;
  const hasResults = (await openPlace(session.config, out, 'shared').size(`${batch}/results.csv`)) !== undefined;
  if (!isCurrent || !hasResults) {
    await access.rows.setCurrentGeneration(batch, generation.generation);
    const sources = { ...resultSources(access), posters: createPosters() };
    const collecting = collectedRows(sources, batch);
    await writeBatchResults(sources, batch, generation.generation, [collecting.collect]);
    await storeReport(sources, batch, collecting.collected(), { isPublic: false });
  }
  // Beyond a sample rows are left that nobody has started.
  const left = rows.finishedBefore.filter((isFinished) => !isFinished).length;
  if (rows.lost.length === 0 && left === 0) session.terminal.note(`every row of '${batch}' is finished: nothing to do`);
  return tellStanding(at, rows, left);
}

/** How the batch stands is told as at its end, with the rows that need a person. `left`: rows that a sample holds back. */
export async function tellStanding(at: Standing, rows: CountedRows, left: number): Promise<number> {
  const { batch, out } = at;
  const { generation, rows: total } = at.generation;
  const { ended, endedNano: creditsNano, endedUnknown: creditsUnknown } = rows.tally;
  const events = newJsonEvents(at);
  events?.started({ generation, rows: total, toRun: 0, out: `${out}/${batch}` });
  const counts = { ...ended, not_started: ended.not_started + left };
  const result: BatchResult = { counts, creditsNano, creditsUnknown };
  const { finishedBefore, lost } = rows;
  return closeBatch({ ...at, generation, result, events, finishedBefore, lost, tookMs: undefined });
}

/** Follows a batch that was started before; a finished one is told from the home without starting anything. */
export async function followAgain(session: Session, batch: string): Promise<number> {
  const known = await knownBatch(session, batch);
  const { access, out } = known;
  const { generation, rows } = known.generation;
  const events = newJsonEvents(known);
  const tally = await batchTally(access, batch, generation);
  const common = { ...known, generation, events, finishedBefore: undefined, lost: [], tookMs: undefined };
  events?.started({ generation, rows, toRun: tally.open, out: `${out}/${batch}` });
  if (tally.open === 0) {
    // The mark outlives a cancel; then no row waits for it any more.
    const stopped = tally.counts.not_started > 0 ? await stoppedReason(access.home, batch) : undefined;
    return closeBatch({ ...common, result: { ...tally, ...(stopped && { stopped }) } });
  }
  const work = await rejoinWork(session);
  const state = await createBatchSource(known, work).state();
  if (state.state !== 'running') {
    await work.close();
    throw new UserError(
      `batch '${batch}' does not run, and ${amount(tally.open, 'row is', 'rows are')} not finished: \`callsheet resume ${batch}\` goes on, or the \`callsheet run …\` that started it`,
      EXIT.standsStill,
    );
  }
  const watched = { work, afterSeq: 0, finishedBefore: rows - tally.open, events, supplyAgain: undefined };
  const end = await watchBatch(known, watched);
  if (end.end !== 'ended') return leaveBatch(known, end, events);
  return closeBatch({ ...common, result: end.result });
}
