import type { RowRef } from '../../contract/workflows.js';
import { defined } from '../../domain/defined.js';
import type { ReasonCode } from '../../domain/failure.js';
import { type RowRecord, type StartAgain, type Status, startAgain } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { type Feeder, feedersOf } from '../../home/feeders.js';
import { resultLines } from '../../home/result-lines.js';
import { failedReruns } from '../../home/row-orders.js';
import { type HomeAccess, resultSources } from '../access/home-access.js';

/** How each row of a batch ended, from the home, in the manifest's order. */
interface FinalRow {
  index: number;
  id: string;
  /** The row's `group`, if it has one. */
  group: string | undefined;
  status: Status;
  /** Why it ended so, where that is known. */
  reasonCode?: ReasonCode;
  /** What starts it, where it was not started. */
  start?: RowStart;
  /** Absent for rows that a cancelled batch never started. */
  record?: RowRecord;
}

interface RowStart {
  order: StartAgain;
  /** The row that it all hangs on: itself, or one that feeds it through however many others. */
  id: string;
}

/** Rows that have not ended are left out, and those that left the manifest. */
export async function* finalRows(access: HomeAccess, batch: string, generation: string): AsyncIterable<FinalRow> {
  for await (const line of resultLines(resultSources(access), batch, generation)) {
    const { row, record } = line;
    const status = record?.status ?? line.ended;
    if (line.removed || status === undefined) continue;
    const reasonCode = record?.reasonCode ?? line.endedFor;
    const isLeft = status === 'not_started';
    const start = isLeft ? await startOf(access, { batch, generation }, row, reasonCode) : undefined;
    yield { index: row.index, id: row.id, group: row.group, status, ...defined({ reasonCode, record, start }) };
  }
}

/** What a row waits for whose feeder was not started either is what that one waits for. */
async function startOf(
  access: HomeAccess,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  reason: ReasonCode | undefined,
): Promise<RowStart> {
  const own = { order: startAgain(reason), id: row.id };
  if (own.order !== 'retry' && own.order !== 'review') return own;
  const at = (await feedersOf(access, place, row)).find(({ file }) => file === undefined);
  if (at?.row === undefined) return own;
  const { record } = at;
  if (record !== undefined && record.status !== 'not_started') return { order: orderFor(at, own.order), id: at.row.id };
  return startOf(access, place, at.row, record?.reasonCode ?? reason);
}

function orderFor({ record }: Feeder, otherwise: StartAgain): StartAgain {
  if (record?.status === 'failed' || record?.status === 'cancelled') return 'retry';
  return record?.status === 'review' || record?.status === 'lost_paid' ? 'review' : otherwise;
}

/** What is left of a batch that has ended, and only a person's order goes on with. */
export interface RowsLeft {
  /** How many rows that were not started want each order. */
  starts: Partial<Record<StartAgain, number>>;
  /** A row that a person gave up as lost, and that feeds some of those. */
  givenUp?: string;
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
  const left: RowsLeft = { starts: {}, ...(await readKeepEarlier(access, batch)) };
  const isFed = (await access.rows.generation(batch, generation))?.fed !== undefined;
  let [looked, found] = [0, 0];
  const isAnyKept = left.keepEarlier > 0;
  if (!isFed || notStarted === 0) return isAnyKept ? left : undefined;
  for await (const row of finalRows(access, batch, generation)) {
    looked += 1;
    if (row.start !== undefined) {
      found += 1;
      addStart(left, row.start);
    }
    if (found === notStarted || looked === ROWS_LOOKED_AT) break;
  }
  return found > 0 || isAnyKept ? left : undefined;
}

export async function readKeepEarlier(
  access: HomeAccess,
  batch: string,
): Promise<Pick<RowsLeft, 'keepEarlier' | 'inputsChanged'>> {
  const failed = await failedReruns(access, batch);
  const inputsChanged = failed.some(({ rerunFailedFor }) => rerunFailedFor === 'input_changed');
  return { keepEarlier: failed.length, inputsChanged };
}

export function addStart(left: Pick<RowsLeft, 'starts' | 'givenUp'>, { order, id }: RowStart): void {
  left.starts[order] = (left.starts[order] ?? 0) + 1;
  if (order === 'review') left.givenUp ??= id;
}
