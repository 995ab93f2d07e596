import type { RowRef } from '../../contract/workflows.js';
import type { AttemptState } from '../../domain/attempt.js';
import { resultLines } from '../../home/result-lines.js';
import { touchedRows } from '../../home/row-records.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from '../batch/final-rows.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { findCase } from './case-row.js';

/**
 * Rows that a person decided about and that have not ended since: while no engine ran nobody was told, and a batch that
 * goes on where it was has passed some of them.
 */
export async function decidedRows(access: HomeAccess, known: KnownBatch): Promise<RowRef[]> {
  const { batch, generation } = known;
  const touched = touchedRows(access.home, batch);
  const refs: RowRef[] = [];
  for await (const { row, record } of resultLines(resultSources(access), batch, generation.generation)) {
    if (record !== undefined || !(await touched.wasTried(row.id))) continue;
    const last = (await access.ledger.read(batch, row.id)).at(-1)?.states.at(-1);
    if (last !== undefined && isDecision(last)) refs.push((await findCase(access, known, row.id)).ref);
  }
  return refs;
}

function isDecision(state: AttemptState): boolean {
  return 'by' in state || (state.state === 'verdict' && state.group !== undefined);
}
