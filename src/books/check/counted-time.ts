import type { Case, Evidence, Movement } from './evidence.js';
import { ownTimeMs } from './patience.js';

/** A gap this many times longer than what is usual says nothing of the time that passed. */
const JUMP = 10;
/** What happened within a gap is this much before the reading that ends it, ms: as little as keeps the order. */
const STEP_MS = 1;

/**
 * Time counts as passed only while somebody looked: a clock that was set forward, or a machine that slept, leaves a gap
 * between two readings. Of a gap longer than `gapMaxMs` only that much counts, and of a far longer one next to nothing. So no
 * deadline is reached by a jump of the clock. Order is kept: a reading that ends a gap is later than a claim before or in
 * it, and shows its charge. Distances only shrink; waits that follow an instant are added afterwards, so that what may
 * still move stays open longer, never shorter.
 */
export function countTime(evidence: Evidence, gapMaxMs: number): Evidence {
  const { subject, readings, nowMs, judged } = evidence;
  const marks = [...readings.map(({ atMs }) => atMs).filter((atMs) => atMs > subject.claimedAtMs), nowMs];
  const skipped = skippedBy(subject.claimedAtMs, marks, gapMaxMs);
  if (skipped.length === 0) return evidence;
  const counted = (atMs: number): number => atMs - missing(skipped, atMs);
  const moved = (one: Case): Case => ({ ...one, claimedAtMs: counted(one.claimedAtMs), t0Ms: counted(one.t0Ms) });
  return {
    ...evidence,
    nowMs: counted(nowMs),
    readings: readings.map((at) => ({ ...at, askedMs: counted(at.askedMs), atMs: counted(at.atMs) })),
    movements: evidence.movements.map((movement) => movedMovement(movement, counted)),
    subject: moved(subject),
    rivals: evidence.rivals.map(moved),
    ...(judged === undefined
      ? {}
      : {
          judged: {
            ...judged,
            cases: judged.cases.map(moved),
            movements: judged.movements.map((movement) => movedMovement(movement, counted)),
          },
        }),
  };
}

interface Gap {
  fromMs: number;
  toMs: number;
  /** How much of it counts. */
  countedMs: number;
}

/** The gaps that do not count in full. */
function skippedBy(startMs: number, marks: number[], gapMaxMs: number): Gap[] {
  const gaps: Gap[] = [];
  let fromMs = startMs;
  for (const toMs of marks) {
    const gapMs = toMs - fromMs;
    if (gapMs > gapMaxMs) gaps.push({ fromMs, toMs, countedMs: gapMs > JUMP * gapMaxMs ? STEP_MS : gapMaxMs });
    fromMs = toMs;
  }
  return gaps;
}

/** How much of the time before an instant does not count. Within a gap time stands still one step before its end. */
function missing(gaps: Gap[], atMs: number): number {
  return gaps.reduce((sum, { fromMs, toMs, countedMs }) => {
    const stopsMs = atMs < toMs ? countedMs - STEP_MS : countedMs;
    return sum + Math.max(0, Math.min(atMs, toMs) - fromMs - stopsMs);
  }, 0);
}

function movedMovement(movement: Movement, counted: (atMs: number) => number): Movement {
  const { fromMs, toMs } = movement;
  return { ...movement, fromMs: counted(fromMs), toMs: toMs === null ? null : counted(toMs) };
}

/** A time in which nothing new is submitted, so that the balance comes to rest. */
export interface QuietTime {
  fromMs: number;
  untilMs: number;
}

/**
 * When the account should be quiet for a case that waiting alone may not settle. There is one quiet an hour, at the full
 * hour, for all cases that are due then; a group has its own at once when its last member is due, and none before. It
 * lasts as long as refunds can be late and the patience after them. `aheadMs`: how far the clock, whose hours they are,
 * is ahead of the evidence's time. Undefined where others use the account.
 */
export function quietFor(evidence: Evidence, hourMs: number, aheadMs: number): QuietTime | undefined {
  const { subject, rivals, equals, rhoMs, patienceMs, exclusive } = evidence;
  if (!exclusive) return undefined;
  const group = rivals.filter(({ name }) => equals.includes(name));
  const ownMs = Math.max(...[subject, ...group].map((one) => ownTimeMs(evidence, one)));
  const fromMs = group.length > 0 ? ownMs : fullHourAfter(ownMs + aheadMs, patienceMs, hourMs) - aheadMs;
  return { fromMs, untilMs: fromMs + rhoMs + patienceMs };
}

/** The first full hour once the patience is over; one that falls into the patience where the next is over an hour away. */
function fullHourAfter(dueMs: number, patienceMs: number, hourMs: number): number {
  const next = Math.ceil((dueMs + patienceMs) / hourMs) * hourMs;
  return next - dueMs > hourMs ? next - hourMs : next;
}
