import { type Attempt, standingOf } from '../domain/attempt.js';
import type { LiveWord } from '../domain/outcome.js';

/** The word that views show for a row that has not ended, from its ledger. Pure. */
export function liveWordOf(attempts: Attempt[]): LiveWord {
  const last = attempts.at(-1);
  if (!last) return 'waiting';
  switch (standingOf(last)) {
    case 'void':
    case 'refused':
    case 'not_billed':
    case 'ended':
    case 'overridden':
      return 'waiting';
    case 'claimed':
      return 'submitting';
    case 'created':
      return 'rendering';
    case 'open_case':
    case 'billed':
    case 'undecided':
    case 'given_up':
    case 'written_off':
      return 'checking';
    case 'done':
    case 'rendered':
      return 'downloading';
  }
}
