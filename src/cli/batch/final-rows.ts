import type { ReasonCode } from '../../domain/failure.js';
import type { RowRecord, Status } from '../../domain/outcome.js';
import { resultLines } from '../../home/result-lines.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';

/** How each row of a batch ended, from the home, in the manifest's order. */
export interface FinalRow {
  index: number;
  id: string;
  /** The row's `group`, if it has one. */
  group: string | undefined;
  status: Status;
  /** Why it ended so, where that is known. */
  reasonCode?: ReasonCode;
  /** Absent for rows that a cancelled batch never started. */
  record?: RowRecord;
}

/** Rows that have not ended are left out, and those that left the manifest. */
export async function* finalRows(access: HomeAccess, batch: string, generation: string): AsyncIterable<FinalRow> {
  for await (const line of resultLines(resultSources(access), batch, generation)) {
    const { row, record } = line;
    if (line.removed) continue;
    const known = { index: row.index, id: row.id, group: row.group };
    const reasonCode = record?.reasonCode ?? line.endedFor;
    const why = reasonCode === undefined ? {} : { reasonCode };
    if (record !== undefined) yield { ...known, ...why, status: record.status, record };
    else if (line.ended !== undefined) yield { ...known, ...why, status: line.ended };
  }
}

/** What results are made from, with this machine's clock. */
export function resultSources(access: HomeAccess) {
  const openStore = (location: string) => openPlace(access.config, location, 'shared');
  return { ...access, openStore, now: () => Date.now() };
}
