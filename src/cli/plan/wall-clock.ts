import type { Kind } from '../../domain/kind.js';
import { pollGapMs } from '../../domain/poll-schedule.js';
import { pollBaseMs, takesSlot } from '../../kinds/facts.js';
import type { HomeAccess } from '../access/home-access.js';
import { generationInForce } from '../batch/known-batch.js';

/** How long a batch will take and which of the plan's caps decides that. Pure. */

interface RenderTime {
  p5: number;
  p50: number;
  p95: number;
}

interface WallClockQuestion {
  /** Rows that are not finished, by kind. */
  rows: ReadonlyMap<Kind, number>;
  concurrent: number;
  rpm: number;
  /** Kinds of rows that run one after the other, since each feeds the next. */
  paths: readonly (readonly Kind[])[];
  /** What earlier renders of a kind took, ms; a kind that was never seen is not here. */
  seen: ReadonlyMap<Kind, RenderTime>;
  /** Kinds whose answer is the result: they are never polled. */
  isSync(kind: Kind): boolean;
  timeScale: number;
}

export interface WallClock {
  /** By the usual renders; a lower bound when some kinds were never seen. */
  atLeastMs: number;
  /** If all renders were as quick, or as slow, as the twentieth part of those that were seen. */
  lowMs: number;
  highMs: number;
  bound: 'simultaneous jobs' | 'requests per minute' | 'one render' | 'rows that wait for others';
  /** Kinds whose render time is not known. */
  unseen: Kind[];
}

/** A minute and a second, and four requests kept free: the rate at which the queue lets requests out. */
const RPM_WINDOW_MS = 61_000;
const RPM_RESERVE = 4;

export function wallClock(question: WallClockQuestion): WallClock {
  const [lowMs, highMs] = [timeBy('p5', question).atLeastMs, timeBy('p95', question).atLeastMs];
  return { ...timeBy('p50', question), lowMs, highMs };
}

function timeBy(
  part: keyof RenderTime,
  { rows, concurrent, rpm, paths, seen, isSync, timeScale }: WallClockQuestion,
): Omit<WallClock, 'lowMs' | 'highMs'> {
  let slotMs = 0;
  let requests = 0;
  let longestMs = 0;
  const unseen: Kind[] = [];
  for (const [kind, count] of rows) {
    if (count === 0) continue;
    const time = seen.get(kind);
    requests += count * (1 + (time === undefined || isSync(kind) ? 0 : pollCount(kind, time, part, timeScale)));
    if (time === undefined) unseen.push(kind);
    else {
      longestMs = Math.max(longestMs, time[part]);
      if (takesSlot(kind)) slotMs += count * time[part];
    }
  }
  const bySlots = slotMs / concurrent;
  const byRequests = (requests * RPM_WINDOW_MS) / Math.max(1, rpm - RPM_RESERVE);
  const byChain = Math.max(
    0,
    ...paths.map((path) => path.reduce((sum, kind) => sum + (seen.get(kind)?.[part] ?? 0), 0)),
  );
  const byCaps = Math.max(bySlots, byRequests);
  if (byChain > Math.max(byCaps, longestMs)) return { atLeastMs: byChain, bound: 'rows that wait for others', unseen };
  // However many slots are free, no row is done before its render.
  if (longestMs > byCaps) return { atLeastMs: longestMs, bound: 'one render', unseen };
  return { atLeastMs: byCaps, bound: bySlots >= byRequests ? 'simultaneous jobs' : 'requests per minute', unseen };
}

/** Polls of one render; a rehearsal's waits are divided by its time scale. */
function pollCount(kind: Kind, time: RenderTime, part: keyof RenderTime, timeScale: number): number {
  const expected = { p5: time.p5 * timeScale, p95: time.p95 * timeScale };
  const renderMs = time[part] * timeScale;
  let elapsedMs = 0;
  for (let poll = 0; poll < 10_000; poll += 1) {
    elapsedMs += pollGapMs({ poll, elapsedMs, baseMs: pollBaseMs(kind), expected });
    if (elapsedMs >= renderMs) return poll + 1;
  }
  return 10_000;
}

/** The 5th, 50th and 95th hundredth of times in ms; undefined for none. */
export function renderTimeOf(timesMs: readonly number[]): RenderTime | undefined {
  if (timesMs.length === 0) return undefined;
  const sorted = [...timesMs].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}

const RECORDS_MAX = 400;

/**
 * What earlier renders of an account took, from a sample of its records, by kind; kinds without a finished row are not
 * there. Reads at most some hundred small files.
 */
export async function renderHistory(access: HomeAccess): Promise<Map<Kind, RenderTime>> {
  const { home, rows, records } = access;
  const times = new Map<Kind, number[]>();
  const batches = await home.batches();
  let left = RECORDS_MAX;
  for (const batch of batches) {
    if (left <= 0) break;
    const facts = await generationInForce(access, batch);
    if (facts === undefined) continue;
    const ids = (await rows.readPart(batch, facts.generation, 0)).map(({ row }) => row.id);
    const sample = ids.slice(0, Math.min(left, Math.ceil(RECORDS_MAX / Math.min(batches.length, 8))));
    left -= sample.length;
    for (const record of await records.readRecords(batch, sample)) {
      const { status, kind, submittedAtMs, renderedAtMs } = record ?? {};
      if (status !== 'done' || kind === undefined) continue;
      if (submittedAtMs === undefined || renderedAtMs === undefined) continue;
      times.set(kind, [...(times.get(kind) ?? []), Math.max(1, renderedAtMs - submittedAtMs)]);
    }
  }
  const seen = new Map<Kind, RenderTime>();
  for (const [kind, list] of times) {
    const time = renderTimeOf(list);
    if (time !== undefined) seen.set(kind, time);
  }
  return seen;
}
