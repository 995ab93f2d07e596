import { resultLines } from '../../activities/result-files.js';
import { emptyTally, tallyResults } from '../../activities/tally-results.js';
import type { BatchTally } from '../../domain/batch-tally.js';
import { needsPerson } from '../../domain/needs-person.js';
import type { ResultLine } from '../../manifest/results.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from './final-rows.js';

export interface HomeTally extends BatchTally {
  /** Rows that ended and that a person has to look at. */
  forPerson: number;
  /** When the last row ended, epoch ms; undefined while none has. */
  endedAtMs: number | undefined;
  /** Rows that ended at or after the given instant. */
  endedSince: number;
}

/** What the home knows of the rows of a batch's manifest, without any engine. */
export async function batchTally(
  access: HomeAccess,
  batch: string,
  generation: string,
  { sinceMs = 0, signal }: { sinceMs?: number /** Throws once it is aborted. */; signal?: AbortSignal } = {},
): Promise<HomeTally> {
  const tally: HomeTally = { ...emptyTally(), forPerson: 0, endedAtMs: undefined, endedSince: 0 };
  const lines = untilAborted(resultLines(resultSources(access), batch, generation), signal);
  await tallyResults(seen(lines, tally, sinceMs), tally);
  return tally;
}

async function* untilAborted<T>(lines: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  for await (const line of lines) {
    signal?.throwIfAborted();
    yield line;
  }
}

async function* seen(lines: AsyncIterable<ResultLine>, tally: HomeTally, sinceMs: number): AsyncIterable<ResultLine> {
  for await (const line of lines) {
    const { record, removed } = line;
    if (record !== undefined && !removed) {
      if (needsPerson(record)) tally.forPerson += 1;
      if (record.finishedAtMs >= sinceMs) tally.endedSince += 1;
      tally.endedAtMs = Math.max(tally.endedAtMs ?? 0, record.finishedAtMs);
    }
    yield line;
  }
}
