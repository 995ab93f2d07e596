import { defined } from '../../domain/defined.js';
import type { ReasonCode } from '../../domain/failure.js';
import type { CreditsNano } from '../../domain/money.js';
import type { RowRecord, Status } from '../../domain/outcome.js';
import { resultLines } from '../../home/result-lines.js';
import { failedReruns } from '../../home/row-orders.js';
import { type HomeAccess, resultSources } from '../access/home-access.js';
import { countStarts, type RowStart, rowStarts, type StartCounts } from './row-starts.js';

/** How each row of a batch ended, from the home, in the manifest's order. */
interface FinalRow {
  index: number;
  id: string;
  /** The row's `group`, if it has one. */
  group: string | undefined;
  status: Status;
  /** Why it ended so, where that is known. */
  reasonCode?: ReasonCode;
  /** What starts it, where it was not started; reads what feeds it. */
  start?: () => Promise<RowStart>;
  /** Absent for rows that a cancelled batch never started. */
  record?: RowRecord;
  /** Without a record: what it has cost with other values. */
  spentNano?: CreditsNano;
}

/** Rows that have not ended are left out, and those that left the manifest. */
export async function* finalRows(access: HomeAccess, batch: string, generation: string): AsyncIterable<FinalRow> {
  const startOf = rowStarts(access, { batch, generation });
  for await (const line of resultLines(resultSources(access), batch, generation)) {
    const { row, record } = line;
    const status = record?.status ?? line.ended;
    if (line.removed || status === undefined) continue;
    const reasonCode = record?.reasonCode ?? line.endedFor;
    const isLeft = status === 'not_started';
    const start = isLeft ? () => startOf(row, reasonCode) : undefined;
    const { spentNano } = line;
    yield {
      index: row.index,
      id: row.id,
      group: row.group,
      status,
      ...defined({ reasonCode, record, start, spentNano }),
    };
  }
}

/** What is left of a batch that has ended, and only a person's order goes on with. */
export interface RowsLeft extends StartCounts {
  /** Rows that keep their earlier file, since another render that was ordered brought nothing. */
  keepEarlier: number;
  /** For some of those since a file that feeds them was changed. */
  inputsChanged: boolean;
}

/** Further rows of a huge batch want what the first of them want. */
const ROWS_LOOKED_AT = 5_000;

/** Undefined where nothing is. */
export async function readRowsLeft(
  access: HomeAccess,
  batch: string,
  generation: string,
  notStarted: number,
): Promise<RowsLeft | undefined> {
  const kept = await readKeepEarlier(access, batch);
  const isFed = (await access.rows.generation(batch, generation))?.fed !== undefined;
  let [looked, found] = [0, 0];
  const isAnyKept = kept.keepEarlier > 0;
  if (!isFed || notStarted === 0) return isAnyKept ? { starts: {}, ...kept } : undefined;
  const starts = countStarts();
  for await (const row of finalRows(access, batch, generation)) {
    looked += 1;
    if (row.start !== undefined) {
      found += 1;
      await starts.add(row.start);
    }
    if (found === notStarted || looked === ROWS_LOOKED_AT) break;
  }
  return found > 0 || isAnyKept ? { ...(await starts.counts()), ...kept } : undefined;
}

export async function readKeepEarlier(
  access: HomeAccess,
  batch: string,
): Promise<Pick<RowsLeft, 'keepEarlier' | 'inputsChanged'>> {
  const failed = await failedReruns(access, batch);
  const inputsChanged = failed.some(({ rerunFailedFor }) => rerunFailedFor === 'input_changed');
  return { keepEarlier: failed.length, inputsChanged };
}
