import type { Evidence } from './evidence.js';
import { ownTimeMs } from './settle.js';

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
