import type { Case, Evidence, Movement } from './evidence.js';

/** A gap this many times longer than what is usual says nothing of the time that passed. */
const JUMP = 10;

/**
 * Time counts as passed only while somebody looked: a clock that was set forward, or a machine that slept, leaves a gap
 * between two readings. Of a gap longer than `gapMaxMs` only that much counts, and of a far longer one nothing. So no
 * deadline is reached by a jump of the clock. Order is kept and distances only shrink; waits that follow an instant are
 * added afterwards, so that what may still move stays open longer, never shorter.
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
    readings: readings.map(({ askedMs, atMs, balanceNano }) => ({
      askedMs: counted(askedMs),
      atMs: counted(atMs),
      balanceNano,
    })),
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
    if (gapMs > gapMaxMs) gaps.push({ fromMs, toMs, countedMs: gapMs > JUMP * gapMaxMs ? 0 : gapMaxMs });
    fromMs = toMs;
  }
  return gaps;
}

/** How much of the time before an instant does not count. */
function missing(gaps: Gap[], atMs: number): number {
  return gaps.reduce(
    (sum, { fromMs, toMs, countedMs }) => sum + Math.max(0, Math.min(atMs, toMs) - fromMs - countedMs),
    0,
  );
}

function movedMovement(movement: Movement, counted: (atMs: number) => number): Movement {
  const { fromMs, toMs } = movement;
  return { ...movement, fromMs: counted(fromMs), toMs: toMs === null ? null : counted(toMs) };
}
