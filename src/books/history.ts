import { clocksApartMs } from '../home/clocks.js';
import { attemptsSince, type NamedAttempt, type OpenCase } from './attempts.js';
import { type Evidence, movementsOf, type Reading } from './check/evidence.js';
import { indexMovements, opennessOf } from './check/movement-index.js';
import type { Books } from './open-books.js';

/** How far back a quiet moment is looked for to start from, ms of the clock; further only where there is none. */
const LOOK_BACK_MS = [600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000] as const;

/**
 * Nor further once so many attempts before the claim were gone over without finding one: no more are kept at hand, and
 * readings that are left out leave explanations in, never out.
 */
const ATTEMPTS_MAX = 50_000;

/** The account from some time before a claim on. */
export interface History extends Pick<Evidence, 'readings' | 'lambdaMs' | 'rhoMs' | 'roundingNano'> {
  known: NamedAttempt[];
  cases: OpenCase[];
}

/** Readings and attempts from a quiet moment before a claim on, as far back as one can be found. */
export async function historyBefore(books: Books, claimedAtMs: number): Promise<History> {
  const { learned } = books;
  const bounds = { lambdaMs: await learned.lambdaMs(), rhoMs: await learned.rhoMs() };
  let history: History = {
    ...{ readings: [], known: [], cases: [] },
    ...bounds,
    roundingNano: await learned.roundingNano(),
  };
  let earlier = -1;
  for (const backMs of LOOK_BACK_MS) {
    const readings = await readingsSince(books, claimedAtMs - backMs);
    const before = readings.filter(({ atMs }) => atMs <= claimedAtMs);
    if (before.length === earlier) continue;
    earlier = before.length;
    const firstMs = Math.min(readings[0]?.askedMs ?? claimedAtMs, claimedAtMs);
    const roundingNano = await learned.roundingNano(readings.map(({ balanceNano }) => balanceNano));
    const attempts = await attemptsSince(books, firstMs - bounds.lambdaMs - bounds.rhoMs);
    history = { readings, ...attempts, ...bounds, roundingNano };
    const begun = history.known.filter((one) => beginsMs(one) <= claimedAtMs);
    if (isQuietAtOne(history, begun, before)) return history;
    if (before.length > 0 && begun.length >= ATTEMPTS_MAX) return history;
  }
  return history;
}

/** A bill can have been seen in a copy of the balance that is older than its claim. */
function beginsMs({ claimedAtMs, heldAtMs = claimedAtMs }: NamedAttempt): number {
  return Math.min(claimedAtMs, heldAtMs);
}

/** `begun`: the attempts that can move the balance at one of the readings. */
function isQuietAtOne({ cases, lambdaMs, rhoMs }: History, begun: NamedAttempt[], readings: Reading[]): boolean {
  const index = indexMovements({ movements: begun.flatMap((one) => movementsOf(one, rhoMs)), lambdaMs });
  const isQuiet = (at: Reading): boolean =>
    cases.every(({ claimedAtMs }) => claimedAtMs > at.atMs) && opennessOf(index, at) === 0;
  return readings.some(isQuiet);
}

/**
 * Oldest first. Where several machines serve the account, another one may have taken a reading than the claim that it is
 * compared with: it is then of some moment of a span that is longer at both ends.
 */
export async function readingsSince({ home }: Books, sinceMs: number): Promise<Reading[]> {
  const [checkpoints, apartMs] = await Promise.all([home.checkpointsSince(sinceMs), clocksApartMs(home, sinceMs)]);
  return checkpoints.map(({ askedMs, atMs, balanceNano }) => ({
    askedMs: (askedMs ?? atMs) - apartMs,
    atMs: atMs + apartMs,
    balanceNano,
  }));
}
