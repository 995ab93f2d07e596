import { REASONS } from '../../domain/failure.js';
import type { FailureGroup } from '../../report/tallies.js';
import { plain } from '../terminal.js';

/** A group of equal row errors as one line of a terminal. */
export function failureLine({ status, reasonCode, reason, count, ids }: FailureGroup): string {
  const facts =
    reasonCode !== undefined && reasonCode in REASONS ? REASONS[reasonCode as keyof typeof REASONS] : undefined;
  const what = facts === undefined ? '' : ` ${facts.meaning}`;
  const said = reason === undefined ? '' : ` "${plain(reason, 160)}"`;
  const more = count > ids.length ? ', …' : '';
  return `${count} × ${status}${reasonCode === undefined ? '' : ` ${reasonCode}`}:${what}${said} (${ids.join(', ')}${more})`;
}
