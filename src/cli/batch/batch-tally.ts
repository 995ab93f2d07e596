import type { BatchTally } from '../../domain/batch-tally.js';
import { needsPerson } from '../../domain/needs-person.js';
import { LIVE_WORDS, type LiveWord, STATUSES } from '../../domain/outcome.js';
import { indexedSums } from '../../home/batch-index.js';
import { indexedHeld } from '../../home/held-rows.js';
import type { ShardSum } from '../../home/index-shard.js';
import { endOfUntouched, resultLines } from '../../home/result-lines.js';
import { touchedRows } from '../../home/row-records.js';
import { emptyTally, tallyResults } from '../../home/upstream.js';
import type { ResultLine } from '../../manifest/results.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from './final-rows.js';
import { heldRows } from './held-rows.js';

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
  const sums = await indexedSums(access, batch, generation, signal);
  if (sums !== undefined) {
    addSums(tally, [...sums.values()], sinceMs);
    await addUntried(access, batch, generation, tally, sums);
    return tally;
  }
  const lines = untilAborted(resultLines(resultSources(access), batch, generation), signal);
  await tallyResults(seen(lines, tally, sinceMs), tally);
  return tally;
}

function addSums(tally: HomeTally, sums: readonly ShardSum[], sinceMs: number): void {
  for (const sum of sums) {
    for (const status of STATUSES) tally.counts[status] += sum.counts[status] ?? 0;
    for (const word of LIVE_WORDS) addLive(tally, word, sum.live[word] ?? 0);
    tally.creditsNano += sum.creditsNano;
    tally.creditsUnknown += sum.creditsUnknown;
    tally.forPerson += sum.forPerson;
    for (const atMs of sum.endedAtMs) {
      tally.endedAtMs = Math.max(tally.endedAtMs ?? 0, atMs);
      if (atMs >= sinceMs) tally.endedSince += 1;
    }
  }
}

/** Rows that were never tried wait, are held, or have ended with their batch but for those of a sample. */
async function addUntried(
  access: HomeAccess,
  batch: string,
  generation: string,
  tally: HomeTally,
  sums: ReadonlyMap<string, ShardSum>,
): Promise<void> {
  const untried = [...sums.values()].reduce((sum, one) => sum + one.untried, 0);
  if (untried === 0) return;
  const untouched = await endOfUntouched(access, batch, generation);
  const left = untouched === undefined ? untried : await untriedOf(access, batch, untouched.except);
  if (untouched !== undefined) tally.counts[untouched.ended] += untried - left;
  const mayRun = untouched && (untouched.except ?? new Set());
  const of = { batch, generation, sums, mayRun };
  const { held, ended } =
    left === 0
      ? { held: 0, ended: 0 }
      : ((await indexedHeld(access, of)) ?? (await heldRows(access, batch, generation, mayRun)));
  addLive(tally, 'held', held);
  addLive(tally, 'waiting', left - held - ended);
  tally.counts.not_started += ended;
}

async function untriedOf({ home }: HomeAccess, batch: string, ids: ReadonlySet<string> = new Set()): Promise<number> {
  const touched = touchedRows(home, batch);
  let untried = 0;
  for (const id of ids) if (!(await touched.hasRecord(id)) && !(await touched.wasTried(id))) untried += 1;
  return untried;
}

function addLive(tally: HomeTally, word: LiveWord, rows: number): void {
  if (rows === 0) return;
  tally.live[word] = (tally.live[word] ?? 0) + rows;
  tally.open += rows;
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
