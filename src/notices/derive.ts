import type { Notice } from '../domain/notice.js';

/** What there is to tell of a batch, by what is seen of it now and what was told before. Pure. */

export interface BatchSeen {
  counts: Record<string, number>;
  /** Decimal; null where some cost is not known. */
  credits: string | null;
  budget: { spentNano: number; maxNano: number } | null;
  /** What keeps it from submitting, as codes. */
  pauses: { reason: string; sinceMs: number }[];
  /** For how long no row has ended, and how long a row may render. */
  quiet: { forMs: number; sinceMs: number; longestMs: number } | null;
  /** Set once it has ended: which run, and how. */
  end: { run: string; isSampled: boolean; stopped: string | null } | null;
}

export interface Tidings {
  /** By this it is known that it was told. */
  key: string;
  what: Omit<Notice, 'schema' | 'id' | 'atMs' | 'account' | 'batch'>;
}

const LEVELS = [100, 80, 50];
const REVIEW = 'review';
const LATE: Tidings = { key: 'late', what: { type: 'late_output' } };

/** In the order in which they are to arrive. */
export function tidingsOf(seen: BatchSeen, told: ReadonlySet<string>): Tidings[] {
  if (seen.end !== null && told.has(endKey(seen.end.run))) return [];
  const all = [...budgetTidings(seen), ...pauseTidings(seen), ...quietTidings(seen), ...reviewTidings(seen)];
  const fresh = all.filter(({ key }) => !told.has(key));
  return seen.end === null ? fresh : [...fresh, endTidings(seen, seen.end)];
}

/** Of a batch that does not run, where an output came after what it feeds had ended. */
export function lateTidings(told: ReadonlySet<string>): Tidings[] {
  return told.has(LATE.key) ? [] : [LATE];
}

/** What counts as told afterwards. A run that has ended leaves the next one to tell of its own rows again. */
export function toldAfter(before: readonly string[], tidings: readonly Tidings[]): string[] {
  const isOver = tidings.some(({ key }) => key.startsWith('end:'));
  const keys = [...before, ...tidings.flatMap(({ key }) => [key, ...lowerLevels(key)])];
  return [...new Set(keys)].filter((key) => !isOver || (key !== REVIEW && key !== LATE.key)).slice(-KEPT);
}

const KEPT = 200;

export function isEndTold(told: readonly string[], run: string): boolean {
  return told.includes(endKey(run));
}

function endKey(run: string): string {
  return `end:${run}`;
}

function endTidings(
  { counts, credits }: BatchSeen,
  { run, isSampled, stopped }: NonNullable<BatchSeen['end']>,
): Tidings {
  const reason = stopped === null ? {} : { reason: stopped };
  return { key: endKey(run), what: { type: isSampled ? 'sampled' : 'done', counts, credits, ...reason } };
}

function budgetTidings({ budget, credits, end }: BatchSeen): Tidings[] {
  if (budget === null) return [];
  const { spentNano, maxNano } = budget;
  const isUsedUp = end?.stopped === 'budget_reached';
  const percent = LEVELS.find((level) => (isUsedUp && level === 100) || spentNano * 100 >= maxNano * level);
  if (percent === undefined) return [];
  return [{ key: `budget:${maxNano}:${percent}`, what: { type: 'budget', percent, credits } }];
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

function quietTidings({ quiet, pauses, end }: BatchSeen): Tidings[] {
  if (quiet === null || pauses.length > 0 || end !== null || quiet.forMs <= quiet.longestMs) return [];
  const minutes = Math.floor(quiet.forMs / 60_000);
  return [{ key: `quiet:${quiet.sinceMs}`, what: { type: 'no_progress', minutes } }];
}

function reviewTidings({ counts }: BatchSeen): Tidings[] {
  const { review = 0, lost_paid = 0 } = counts;
  if (review + lost_paid === 0) return [];
  return [{ key: REVIEW, what: { type: 'review_needed', counts: { review, lost_paid } } }];
}
