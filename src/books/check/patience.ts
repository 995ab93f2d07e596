import type { Case, Evidence, Reading } from './evidence.js';
import type { Look } from './explain.js';
import { type IndexedEvidence, opennessOf } from './movement-index.js';

/** How long a case is waited for, and when it is looked at again. */

/** From when on two readings can show that a case was not billed, as the readings tell time. */
export function ownTimeMs({ lambdaMs }: Pick<Evidence, 'lambdaMs'>, { t0Ms, dueAfterMs }: Case): number {
  return t0Ms + dueAfterMs + lambdaMs;
}

/** The subject and its equals. */
export function equalsOf({ subject, rivals, equals }: Pick<Evidence, 'subject' | 'rivals' | 'equals'>): Case[] {
  return [subject, ...rivals.filter(({ name }) => equals.includes(name))];
}

/**
 * A case is given up when waiting cannot help: it and all other open cases are past their times, nothing of the account
 * moves any more and the last readings still allow both; or when its patience is over.
 */
export function isHopeless(evidence: IndexedEvidence, looks: Look[]): boolean {
  const { subject, rivals, patienceMs, giveUpAfterMs } = evidence;
  const latest = looks.at(-1)?.at;
  if (latest === undefined) return false;
  const ownMs = Math.max(...equalsOf(evidence).map((one) => ownTimeMs(evidence, one)));
  if (latest.askedMs >= ownMs + giveUpAfterMs) return true;
  const [before] = looks.slice(-2);
  const isStill = (at: Reading): boolean =>
    [subject, ...rivals].every((one) => at.askedMs >= ownTimeMs(evidence, one)) && opennessOf(evidence.index, at) === 0;
  return latest.askedMs >= ownMs + patienceMs && before !== undefined && isStill(before.at) && isStill(latest);
}

/** Looks again soon at first, since a bill shows early, then ever more rarely, and often once its time has come. */
export function nextLookMs(evidence: Pick<Evidence, 'nowMs' | 'lambdaMs' | 'subject'>): number {
  const { nowMs, lambdaMs, subject } = evidence;
  const ownMs = ownTimeMs(evidence, subject);
  const step = Math.max(lambdaMs / 4, (nowMs - subject.claimedAtMs) / 4);
  return nowMs < ownMs ? Math.min(ownMs, nowMs + step) : nowMs + Math.max(lambdaMs / 12, (nowMs - ownMs) / 8);
}
