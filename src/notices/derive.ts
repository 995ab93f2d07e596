import { defined } from '../domain/defined.js';
import type { Notice } from '../domain/notice.js';
import type { ToldOfBatch } from '../home/notices.js';
import type { RowsForPerson } from '../home/rows-for-person.js';

/** What there is to tell of a batch, by what is seen of it now and what was told before. Pure. */

export interface BatchSeen {
  /** When it was looked at. */
  atMs: number;
  /** Divides the waits of a rehearsal. */
  timeScale: number;
  counts: Record<string, number>;
  /** Decimal; null where some cost is not known. */
  credits: string | null;
  budget: { spentNano: number; maxNano: number } | null;
  /** What keeps it from submitting, as codes. */
  pauses: { reason: string; sinceMs: number }[];
  /** Null where nobody looked. */
  forPerson: RowsForPerson | null;
  /** Set while it runs. */
  progress: {
    /** Rows that have ended. */
    rows: number;
    /** When this run of it began. */
    startedAtMs: number;
    /** It is paused, or ends early: no row has to end. */
    isHeld: boolean;
    /** How long a row may render. */
    longestMs: number;
    /** For how long its worker has worked. */
    servedMs: number;
  } | null;
  /** Set once it has ended: which run, and how; `sample` names the sample whose rest waits for approval. */
  end: { run: string; sample: string | null; stopped: string | null } | null;
}

interface Tidings {
  key: string;
  what: Omit<Notice, 'schema' | 'id' | 'atMs' | 'account' | 'batch'>;
}

/** What was told of a batch, and what was seen of it by which it is known what is new. */
export type Told = Pick<ToldOfBatch, 'told' | 'moved' | 'forPerson'>;

/** What is to be told, in the order in which it is to arrive, and what counts as told then. */
export interface ToTell {
  tidings: Tidings[];
  told: Told;
}

const LEVELS = [100, 80, 50];
const LATE: Tidings = { key: 'late', what: { type: 'late_output' } };
/** More rows that need a person are told together: a night of lost answers is no hundred messages. */
const TOGETHER_MS = 15 * 60_000;
/** That a batch moves is written down so often at most. */
const MOVED_EVERY_MS = 60_000;
/** A worker that has just begun learns first what came to be while none worked. */
const SERVED_MIN_MS = 60_000;
/** Of each sort of key. */
const KEPT = 200;

export function toTell(seen: BatchSeen, before: Told): ToTell {
  const { end } = seen;
  if (end !== null && isEndTold(before.told, end.run)) return { tidings: [], told: before };
  const moved = lastMoved(seen, before);
  const review = reviewOf(seen, before);
  const keyed = [...budgetTidings(seen), ...pauseTidings(seen), ...quietTidings(seen, moved)];
  const ended = end === null ? [] : endTidings(seen, end);
  const isNew = ({ key }: Tidings) => !before.told.includes(key);
  const tidings = [...keyed.filter(isNew), ...review.tidings, ...ended.filter(isNew)];
  const keys = [...keyed, ...ended].flatMap(({ key }) => [key, ...lowerLevels(key)]);
  // An output that comes late after this end is told again.
  const kept = end === null ? before.told : before.told.filter((key) => key !== LATE.key);
  const told = withKeys(kept, end === null ? keys : [...keys, endKey(end.run)]);
  return { tidings, told: { told, ...defined({ moved, forPerson: review.forPerson }) } };
}

/** Of a batch that does not run, where an output came after what it feeds had ended. */
export function lateToTell(before: Told): ToTell {
  if (before.told.includes(LATE.key)) return { tidings: [], told: before };
  return { tidings: [LATE], told: { ...before, told: withKeys(before.told, [LATE.key]) } };
}

/** Each sort is cut by itself: a batch that is paused again and again must not forget which level of its budget was told. */
function withKeys(before: readonly string[], keys: readonly string[]): string[] {
  const sorts = new Map<string, string[]>();
  for (const key of new Set([...before, ...keys])) {
    const [sort = ''] = key.split(':');
    sorts.set(sort, [...(sorts.get(sort) ?? []), key].slice(-KEPT));
  }
  return [...sorts.values()].flat();
}

export function isEndTold(told: readonly string[], run: string): boolean {
  return told.includes(endKey(run));
}

function endKey(run: string): string {
  return `end:${run}`;
}

/** Rows of a sample may run again before the rest is approved: it is the same sample. One that stopped early shows none. */
function endTidings(
  { counts, credits }: BatchSeen,
  { run, sample, stopped }: NonNullable<BatchSeen['end']>,
): [Tidings] {
  if (stopped !== null) return [{ key: endKey(run), what: { type: 'done', counts, credits, reason: stopped } }];
  if (sample === null) return [{ key: endKey(run), what: { type: 'done', counts, credits } }];
  return [{ key: `sampled:${sample}`, what: { type: 'sampled', counts, credits } }];
}

function budgetTidings({ budget, credits, end }: BatchSeen): Tidings[] {
  if (budget === null) return [];
  const { spentNano, maxNano } = budget;
  const isUsedUp = end?.stopped === 'budget_reached';
  const percent = LEVELS.find((level) => (isUsedUp && level === 100) || spentNano * 100 >= maxNano * level);
  if (percent === undefined) return [];
  // What is left of it is too little for any row that is left.
  const why = isUsedUp && spentNano < maxNano ? { reason: 'budget_reached' } : {};
  return [{ key: `budget:${maxNano}:${percent}`, what: { type: 'budget', percent, credits, ...why } }];
}

/** Who heard of 80 % is not told of 50 % of the same budget. */
function lowerLevels(key: string): string[] {
  const [word, max, percent] = key.split(':');
  if (word !== 'budget') return [];
  return LEVELS.filter((level) => level < Number(percent)).map((level) => `budget:${max}:${level}`);
}

function pauseTidings({ pauses, end }: BatchSeen): Tidings[] {
  if (end !== null) return [];
  return pauses.map(({ reason, sinceMs }) => ({
    key: `paused:${reason}:${sinceMs}`,
    what: { type: 'paused', reason },
  }));
}

/** Since when nothing moves; while the batch is held no time passes. */
function lastMoved({ atMs, timeScale, progress }: BatchSeen, { moved }: Told): Told['moved'] {
  if (progress === null) return moved;
  const { rows, isHeld } = progress;
  if (moved === undefined) return { rows, atMs };
  const hasMoved = isHeld || moved.rows !== rows;
  return hasMoved && atMs - moved.atMs >= MOVED_EVERY_MS / timeScale ? { rows, atMs } : moved;
}

function quietTidings({ atMs, timeScale, progress }: BatchSeen, moved: Told['moved']): Tidings[] {
  if (progress === null || moved === undefined) return [];
  const { startedAtMs, isHeld, longestMs, servedMs } = progress;
  const sinceMs = Math.max(moved.atMs, startedAtMs);
  if (isHeld || servedMs < SERVED_MIN_MS / timeScale || atMs - sinceMs <= longestMs) return [];
  const minutes = Math.floor((atMs - sinceMs) / 60_000);
  return [{ key: `quiet:${sinceMs}`, what: { type: 'no_progress', minutes } }];
}

/** A row is new where there are more of them than were told, or where it ended after all that were. */
function reviewOf(
  { atMs, timeScale, forPerson, end }: BatchSeen,
  { forPerson: before = { rows: 0, latestMs: 0, toldMs: 0 } }: Told,
): { tidings: Tidings[]; forPerson: NonNullable<Told['forPerson']> } {
  if (forPerson === null) return { tidings: [], forPerson: before };
  const { counts, latestMs } = forPerson;
  const rows = counts.review + counts.lost_paid;
  const isNew = rows > before.rows || latestMs > before.latestMs;
  const isDue = end !== null || atMs - before.toldMs >= TOGETHER_MS / timeScale;
  if (!isNew || !isDue) return { tidings: [], forPerson: { ...before, rows: Math.min(rows, before.rows) } };
  return {
    tidings: [{ key: `review:${rows}:${latestMs}`, what: { type: 'review_needed', counts } }],
    forPerson: { rows, latestMs: Math.max(latestMs, before.latestMs), toldMs: atMs },
  };
}
