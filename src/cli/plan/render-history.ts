import type { Kind } from '../../domain/kind.js';
import type { HomeAccess } from '../access/home-access.js';
import { type RenderTime, renderTimeOf } from './wall-clock.js';

/** What earlier renders of an account took, from a sample of its records. */

const RECORDS_MAX = 400;

/** By kind; kinds without a finished row are not there. Reads at most some hundred small files. */
export async function renderHistory({ home, rows, records }: HomeAccess): Promise<Map<Kind, RenderTime>> {
  const times = new Map<Kind, number[]>();
  const batches = await home.batches();
  let left = RECORDS_MAX;
  for (const batch of batches) {
    if (left <= 0) break;
    const generation = await rows.currentGeneration(batch);
    if (generation === undefined || (await rows.generation(batch, generation)) === undefined) continue;
    const ids = (await rows.readPart(batch, generation, 0)).map(({ row }) => row.id);
    const sample = ids.slice(0, Math.min(left, Math.ceil(RECORDS_MAX / Math.min(batches.length, 8))));
    left -= sample.length;
    for (const record of await records.readRecords(batch, sample)) {
      if (record?.status !== 'done' || record.submittedAtMs === undefined || record.renderedAtMs === undefined)
        continue;
      const list = times.get(record.kind) ?? [];
      list.push(Math.max(1, record.renderedAtMs - record.submittedAtMs));
      times.set(record.kind, list);
    }
  }
  return new Map(
    [...times].flatMap(([kind, list]) => {
      const time = renderTimeOf(list);
      return time === undefined ? [] : [[kind, time] as const];
    }),
  );
}
