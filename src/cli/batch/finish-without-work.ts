import { collectedRows, storeReport, writeBatchResults } from '../../../activities/files/result-files.js';
import type { BatchResult } from '../../contract/workflows.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { createPosters } from '../../report/posters.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import type { ManifestPlace } from '../plan/manifest-flags.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import type { Session } from '../session.js';
import { closeBatch } from './close-batch.js';
import { resultSources } from './final-rows.js';
import { newJsonEvents } from './json-events.js';

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
