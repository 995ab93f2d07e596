import type { CaseFacts, Charge, SettleEvidence } from './evidence.js';

/**
 * Time counts as passed only while somebody looked: a clock that was set forward, or a machine that slept, leaves a gap
 * between two readings, and of each gap no more than `gapMaxMs` counts. So no deadline is reached by a jump of the
 * clock. Order is kept and distances only shrink: what may have been charged stays open longer, never shorter.
 */
export function countTime(evidence: SettleEvidence, gapMaxMs: number): SettleEvidence {
  const { subject, checkpoints, nowMs } = evidence;
  const marks = [...checkpoints.map(({ atMs }) => atMs).filter((atMs) => atMs > subject.claimedAtMs), nowMs];
  const skipped = skippedBy(subject.claimedAtMs, marks, gapMaxMs);
  if (skipped.length === 0) return evidence;
  const counted = (atMs: number): number => atMs - missing(skipped, atMs, gapMaxMs);
  const moved = (c: CaseFacts): CaseFacts => ({
    ...c,
    claimedAtMs: counted(c.claimedAtMs),
    gaveUpAtMs: counted(c.gaveUpAtMs),
  });
  return {
    ...evidence,
    nowMs: counted(nowMs),
    checkpoints: checkpoints.map((c) => ({ ...c, atMs: counted(c.atMs) })),
    charges: evidence.charges.map((charge) => movedCharge(charge, counted)),
    subject: moved(subject),
    rivals: evidence.rivals.map(moved),
  };
}

interface Gap {
  fromMs: number;
  toMs: number;
}

/** The gaps that are longer than what counts of them. */
function skippedBy(startMs: number, marks: number[], gapMaxMs: number): Gap[] {
  const gaps: Gap[] = [];
  let fromMs = startMs;
  for (const toMs of marks) {
    if (toMs - fromMs > gapMaxMs) gaps.push({ fromMs, toMs });
    fromMs = toMs;
  }
  return gaps;
}

/** How much of the time before an instant does not count. */
function missing(gaps: Gap[], atMs: number, gapMaxMs: number): number {
  return gaps.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(atMs, toMs) - fromMs - gapMaxMs), 0);
}

function movedCharge(charge: Charge, counted: (atMs: number) => number): Charge {
  const { fromMs, toMs } = charge;
  return { ...charge, fromMs: counted(fromMs), toMs: toMs === null ? null : counted(toMs) };
}
