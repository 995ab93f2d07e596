import type { RowRef } from '../../contract/workflows.js';
import type { ReasonCode } from '../../domain/failure.js';
import { type RowRecord, type StartAgain, startAgain } from '../../domain/outcome.js';
import { type FedMedia, fedMedia, type Row } from '../../domain/row.js';
import { feederOf } from '../../home/feeders.js';
import { parallel } from '../../store/parallel.js';
import type { HomeAccess } from '../access/home-access.js';

/** What starts the rows that were not started. */

export interface RowStart {
  order: StartAgain;
  /** The row that it all hangs on: itself, or one that feeds it through however many others. */
  id: string;
}

/** A feeder that brought its output, or whose line in the home cannot be read, starts nothing. */
type Behind = RowStart | 'fed' | 'unreadable';

/**
 * What a row waits for whose feeder was not started either is what that one waits for. Each feeder is read once, however
 * many rows hang on it: a portrait may feed a whole manifest.
 */
export function rowStarts(
  access: HomeAccess,
  place: Pick<RowRef, 'batch' | 'generation'>,
): (row: Row, reason: ReasonCode | undefined) => Promise<RowStart> {
  /** By the feeder, and what its rows want where it says nothing itself. */
  const known = new Map<string, Promise<Behind>>();

  async function startOf(row: Row, reason: ReasonCode | undefined): Promise<RowStart> {
    const own = { order: startAgain(reason), id: row.id };
    if (own.order !== 'retry' && own.order !== 'review') return own;
    for (const media of fedMedia(row)) {
      const found = await knownBehind(media, reason);
      if (found !== 'fed') return found === 'unreadable' ? own : found;
    }
    return own;
  }

  function knownBehind(media: FedMedia, reason: ReasonCode | undefined): Promise<Behind> {
    const key = `${media.at} ${reason}`;
    const found = known.get(key) ?? behind(media, reason);
    known.set(key, found);
    return found;
  }

  async function behind(media: FedMedia, reason: ReasonCode | undefined): Promise<Behind> {
    const { row, record, file } = await feederOf(access, place, media);
    if (file !== undefined) return 'fed';
    if (row === undefined) return 'unreadable';
    const isEnded = record !== undefined && record.status !== 'not_started';
    return isEnded
      ? { order: orderFor(record, startAgain(reason)), id: row.id }
      : startOf(row, record?.reasonCode ?? reason);
  }

  return startOf;
}

function orderFor({ status }: RowRecord, otherwise: StartAgain): StartAgain {
  if (status === 'failed' || status === 'cancelled') return 'retry';
  return status === 'review' || status === 'lost_paid' ? 'review' : otherwise;
}

export interface StartCounts {
  /** How many rows that were not started want each order. */
  starts: Partial<Record<StartAgain, number>>;
  /** A row that a person gave up as lost, and that feeds some of those. */
  givenUp?: string;
}

const AT_ONCE = 1_000;
const READ_WIDTH = 32;

/** Side by side: one request after the other takes hours where many rows hang on failed ones in a bucket. */
export function countStarts() {
  const counts: StartCounts = { starts: {} };
  let asked: (() => Promise<RowStart>)[] = [];
  const flush = async (): Promise<void> => {
    for (const { order, id } of await parallel(asked, READ_WIDTH, (start) => start())) {
      counts.starts[order] = (counts.starts[order] ?? 0) + 1;
      if (order === 'review') counts.givenUp ??= id;
    }
    asked = [];
  };
  return {
    async add(start: () => Promise<RowStart>): Promise<void> {
      if (asked.push(start) >= AT_ONCE) await flush();
    },
    /** Of all that were added. */
    async counts(): Promise<StartCounts> {
      await flush();
      return counts;
    },
  };
}
