import type { GenerationFacts } from '../../home/rows-writer.js';
import type { HomeAccess } from '../access/home-access.js';
import type { PreparedBatch } from './prepare-batch.js';
import { createRowPlanner, type PlannedRow } from './row-planner.js';

/**
 * The rows whose content differs from what was submitted by now. The batch may have gone on since they were first
 * compared: reading the manifest takes time, and so does a person who thinks about the question.
 */
export async function changedByNow(
  access: HomeAccess,
  batch: string,
  generation: GenerationFacts,
  { finishedBefore }: Pick<PreparedBatch, 'finishedBefore'>,
): Promise<Pick<PreparedBatch, 'changed' | 'changedCount'>> {
  const planner = await createRowPlanner(access, batch, null, undefined);
  const changed: PlannedRow[] = [];
  if (!planner.isKnown) return { changed, changedCount: 0 };
  for (const part of generation.parts.keys()) {
    const stored = await access.rows.readPart(batch, generation.generation, part);
    const rows = stored.flatMap(({ row }) => (finishedBefore[row.index] ? [] : [row]));
    for (const planned of await planner.plan(rows)) if (planned.changed !== undefined) changed.push(planned);
  }
  return { changed, changedCount: changed.length };
}
