import type { FedFrom } from '../src/contract/chain-state.js';
import { rowAt } from '../src/home/rows.js';
import { factsOf } from '../src/kinds/facts.js';
import type { Dependencies } from './dependencies.js';

/**
 * Rows that feed others, the one first whose own URL expires soonest: what takes it must be submitted while it lives. Those
 * without such a URL keep their order, which is that of their ends, behind them.
 */
export async function soonestFirst(
  deps: Pick<Dependencies, 'rows' | 'records' | 'settings'>,
  { batch, generation }: { batch: string; generation: string },
  feeders: readonly FedFrom[],
): Promise<FedFrom[]> {
  if (feeders.length < 2) return [...feeders];
  const timed: { feeder: FedFrom; expiresMs: number }[] = [];
  for (const feeder of feeders) {
    const row = (await rowAt(deps.rows, batch, generation, feeder.index))?.stored.row;
    const lifeMs = row && factsOf(row.kind).ownUrlLifeMs;
    const record = lifeMs === undefined ? undefined : await deps.records.readRecord(batch, row?.id ?? '');
    const expiresMs =
      lifeMs === undefined || record === undefined
        ? Number.POSITIVE_INFINITY
        : (record.renderedAtMs ?? record.finishedAtMs) + lifeMs / deps.settings.timeScale;
    timed.push({ feeder, expiresMs });
  }
  return timed
    .sort((a, b) => (a.expiresMs === b.expiresMs ? 0 : a.expiresMs - b.expiresMs))
    .map(({ feeder }) => feeder);
}
