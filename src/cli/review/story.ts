import type { Evidence, Movement, Reading } from '../../books/check/evidence.js';
import { showsAllUntil } from '../../books/check/residual.js';
import { ownTimeMs } from '../../books/check/settle.js';
import { type Story, storyOf } from '../../books/check/story.js';
import { gatherEvidence } from '../../books/evidence.js';
import { intentOf } from '../../domain/attempt.js';
import type { HomeAccess } from '../access/home-access.js';
import { recordBooks } from '../access/record-dependencies.js';
import type { CaseRow } from './case-row.js';

/** What the balance tells of a row's last attempt: the one place where the review reads the account's evidence. */
export interface CaseStory {
  story: Story;
  /** How many movements of other attempts may lie between the two readings. */
  others: number;
  /** From when on two readings that agree can show that it was not billed. */
  dueAtMs: number;
}

/** Undefined for a row without a claim, and where the balance was not read before it or since. */
export async function caseStory(access: HomeAccess, { batch, row, attempts }: CaseRow): Promise<CaseStory | undefined> {
  const last = attempts.at(-1);
  const claimedAtMs = last && intentOf(last)?.atMs;
  if (last === undefined || claimedAtMs === undefined) return undefined;
  const ref = { batch, id: row.id, n: last.n };
  const evidence = await gatherEvidence(recordBooks(access), row.kind, ref, last);
  const clocks = await clocksOf(access, evidence);
  // What a verdict rests on stands before it; what came later moved the balance for other reasons.
  const verdictAtMs = last.states.findLast(({ state }) => state === 'verdict')?.atMs ?? Number.POSITIVE_INFINITY;
  const isBefore = (reading: Reading): boolean => (clocks.get(reading) ?? reading.atMs) <= verdictAtMs;
  const at = evidence.readings.findLast((one) => one.atMs > evidence.subject.claimedAtMs && isBefore(one));
  const story = at && storyOf(evidence, at);
  if (at === undefined || story === undefined) return undefined;
  const others = evidence.movements.filter((movement) => touches(movement, evidence, story.base, at)).length;
  const onClock = (reading: Reading): Reading => ({ ...reading, atMs: clocks.get(reading) ?? reading.atMs });
  const dueAtMs = ownTimeMs(evidence, evidence.subject) + Date.now() - evidence.nowMs;
  return { story: { ...story, base: onClock(story.base), at: onClock(at) }, others, dueAtMs };
}

/**
 * When each reading was made, by the clock: evidence leaves out time in which nobody looked. Its readings are the
 * newest of the home, in their order.
 */
async function clocksOf({ home }: HomeAccess, { readings }: Evidence): Promise<Map<Reading, number>> {
  const first = readings[0];
  if (first === undefined) return new Map();
  const kept = (await home.checkpointsSince(first.atMs)).filter(({ balanceNano }) => balanceNano !== null);
  const newest = kept.slice(-readings.length);
  return new Map(readings.map((reading, i) => [reading, newest[i]?.atMs ?? reading.atMs]));
}

function touches({ fromMs, toMs, afterMs }: Movement, { lambdaMs }: Evidence, base: Reading, at: Reading): boolean {
  return fromMs <= at.atMs && (toMs === null || !showsAllUntil(base, toMs + afterMs, lambdaMs));
}
