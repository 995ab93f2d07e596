import type { Attempt } from '../domain/attempt.js';
import { isKnownUnbilled, standingOf } from '../domain/standing.js';

/** One whose job turned up late and goes on, whatever was tried behind it for nothing. */
export function jobLeft(attempts: readonly Attempt[]): Attempt | undefined {
  const costly = attempts.findLast((one) => !isKnownUnbilled(standingOf(one)));
  return costly && standingOf(costly) === 'created' ? costly : undefined;
}
