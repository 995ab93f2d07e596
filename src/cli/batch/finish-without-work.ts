import { collectedRows, storeReport } from '../../../activities/batch-report.js';
import { writeBatchResults } from '../../../activities/result-files.js';
import type { BatchResult } from '../../contract/workflows.js';
import { stoppedReason } from '../../home/batch-marks.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { createPosters } from '../../report/posters.js';
import { type HomeAccess, openHomeAccess, openPlace } from '../access/home-access.js';
import { rejoinWork } from '../access/work-access.js';
import type { ManifestPlace } from '../plan/manifest-flags.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { createBatchSource } from './batch-source.js';
import { batchTally, resultSources } from './batch-tally.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { knownBatch } from './known-batch.js';
import { leaveBatch, watchBatch } from './watch-batch.js';

export interface FinishedRun {
  session: Session;
  request: { place: ManifestPlace };
  access: HomeAccess;
  prepared: PreparedBatch;
  generation: GenerationFacts;
}

/** Every row is finished already: the summary comes from the home; no engine starts and nothing is sent. */
export async function finishWithoutWork(run: FinishedRun): Promise<number> {
  const { session, request, access, prepared, generation } = run;
  const { batch } = request.place;
  const { out } = session.config;
  const isCurrent = (await access.rows.currentGeneration(batch)) === generation.generation;
  const hasResults = (await openPlace(session.config, out, 'shared').size(`${batch}/results.csv`)) !== undefined;
  if (!isCurrent || !hasResults) {
    await access.rows.setCurrentGeneration(batch, generation.generation);
    const sources = { ...resultSources(access), posters: createPosters() };
    const rows = collectedRows(sources, batch);
    await writeBatchResults(sources, batch, generation.generation, [rows.collect]);
    await storeReport(sources, batch, rows.collected(), { isPublic: false });
  }
  const { tally } = prepared;
  // Beyond a sample rows are left that nobody has started.
  const left = prepared.finishedBefore.filter((isFinished) => !isFinished).length;
  const counts = { ...tally.ended, not_started: tally.ended.not_started + left };
  const result: BatchResult = { counts, creditsNano: tally.endedNano, creditsUnknown: tally.endedUnknown };
  if (prepared.lost.length === 0 && left === 0)
    session.terminal.note(`every row of '${batch}' is finished: nothing to do`);
  const events = newJsonEvents(session, access, batch);
  events?.started({ generation: generation.generation, rows: generation.rows, toRun: 0, out: `${out}/${batch}` });
  return closeBatch(session, {
    access,
    batch,
    generation: generation.generation,
    out,
    result,
    events,
    finishedBefore: prepared.finishedBefore,
    lost: prepared.lost,
    tookMs: undefined,
  });
}

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
