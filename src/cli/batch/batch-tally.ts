import type { BatchTally } from '../../domain/batch.js';
import type { Kind } from '../../domain/kind.js';
import type { CreditsNano } from '../../domain/money.js';
import { LIVE_WORDS, type LiveWord, needsPerson, STATUSES } from '../../domain/outcome.js';
import { indexedSums, keptEntries } from '../../home/batch-index.js';
import { type HeldRows, indexedHeld } from '../../home/held-rows.js';
import { shardOf } from '../../home/home-keys.js';
import type { KindSum, ShardSum } from '../../home/index-entry.js';
import { endOfUntouched, linesAt, resultLines } from '../../home/result-lines.js';
import { rerunIds } from '../../home/row-orders.js';
import { touchedRows } from '../../home/row-records.js';
import { emptyTally, tallyResults } from '../../home/upstream.js';
import type { ResultLine } from '../../manifest/result-fields.js';
import { type HomeAccess, resultSources } from '../access/home-access.js';
import { walkedHeld } from './walked-held.js';

export interface HomeTally extends BatchTally {
  /** Rows that ended and that a person has to look at. */
  forPerson: number;
  /** When the last row ended, epoch ms; undefined while none has. */
  endedAtMs: number | undefined;
  /** Rows that ended at or after the given instant. */
  endedSince: number;
  /** The id of the row that the first held one waits for; absent where none is held. */
  heldFor?: string;
  kinds: Map<Kind, KindTally>;
}

/** The rows of one kind. */
export interface KindTally {
  /** They have not ended. */
  open: number;
  /** They are done by a render of the batch itself whose cost is known, and came to so much. */
  paid: number;
  paidNano: CreditsNano;
}

/** What the home knows of the rows of a batch's manifest, without any engine. */
export async function batchTally(
  access: HomeAccess,
  batch: string,
  generation: string,
  { sinceMs = 0, signal }: { sinceMs?: number /** Throws once it is aborted. */; signal?: AbortSignal } = {},
): Promise<HomeTally> {
  const tally: HomeTally = { ...emptyTally(), forPerson: 0, endedAtMs: undefined, endedSince: 0, kinds: new Map() };
  const sums = await indexedSums(access, batch, generation, signal);
  if (sums !== undefined) {
    addSums(tally, [...sums.values()], sinceMs);
    await addUntried(access, batch, generation, tally, sums);
    const reruns = await takeReruns(access, batch, generation, tally);
    const lines = reruns.length > 0 ? linesAt(resultSources(access), batch, generation, reruns) : undefined;
    if (lines !== undefined) await tallyResults(seen(lines, tally, sinceMs), tally);
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
    for (const [kind, { live, paid, paidNano }] of byKind(sum)) addKind(tally, kind, { open: live, paid, paidNano });
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
  const { held, ended, heldFor }: HeldRows =
    left === 0
      ? { held: 0, ended: 0 }
      : ((await indexedHeld(access, of)) ?? (await walkedHeld(access, batch, generation, mayRun)));
  addLive(tally, 'held', held);
  addLive(tally, 'waiting', left - held - ended);
  tally.counts.not_started += ended;
  // Which of them those are is not asked: they are taken to be of all kinds alike.
  for (const sum of sums.values()) {
    for (const [kind, one] of byKind(sum)) addKind(tally, kind, { open: (one.untried * (left - ended)) / untried });
  }
  if (heldFor !== undefined) tally.heldFor = heldFor;
}

/** Takes rows out that wait to be rendered again, for the index has no look at what feeds them: gives their places. */
async function takeReruns(access: HomeAccess, batch: string, generation: string, tally: HomeTally): Promise<number[]> {
  const ids = tally.live.waiting ? await rerunIds(access.home, batch) : [];
  const records = await access.records.readRecords(batch, ids);
  const ordered = new Set(records.flatMap((record) => (record?.rerunAtMs === undefined ? [] : [record.id])));
  const places: number[] = [];
  for (const shard of new Set([...ordered].map(shardOf))) {
    for (const entry of (await keptEntries(access, batch, generation, shard)) ?? []) {
      const { index, id, kind, live, isReplaced, spent = 0 } = entry;
      if (!ordered.has(id) || live !== 'waiting' || isReplaced) continue;
      addLive(tally, 'waiting', -1);
      tally.creditsNano -= spent;
      addKind(tally, kind, { open: -1 });
      places.push(index);
    }
  }
  return places;
}

function byKind({ kinds }: ShardSum): [Kind, KindSum][] {
  return Object.entries(kinds) as [Kind, KindSum][];
}

function addKind({ kinds }: HomeTally, kind: Kind, { open = 0, paid = 0, paidNano = 0 }: Partial<KindTally>): void {
  const known = kinds.get(kind) ?? { open: 0, paid: 0, paidNano: 0 };
  kinds.set(kind, { open: known.open + open, paid: known.paid + paid, paidNano: known.paidNano + paidNano });
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
    const { row, record, ended, removed, waitsFor } = line;
    if (waitsFor !== undefined && !removed) tally.heldFor ??= waitsFor;
    if (!removed && record === undefined && ended === undefined) addKind(tally, row.kind, { open: 1 });
    if (record !== undefined && !removed) {
      const { status, creditsNano, reusedFrom, finishedAtMs } = record;
      const isPaid = status === 'done' && reusedFrom === undefined && creditsNano !== undefined;
      if (isPaid) addKind(tally, row.kind, { paid: 1, paidNano: creditsNano });
      if (needsPerson(record)) tally.forPerson += 1;
      if (finishedAtMs >= sinceMs) tally.endedSince += 1;
      tally.endedAtMs = Math.max(tally.endedAtMs ?? 0, finishedAtMs);
    }
    yield line;
  }
}
