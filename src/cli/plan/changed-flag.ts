import { InvalidArgumentError, Option } from 'commander';
import type { RerunOrder } from '../../home/row-orders.js';
import { UserError } from '../user-error.js';

/** Which changed rows are paid again: every one, none, or those that are named. */
export type ChangedOrder = RerunOrder;

export function changedOption(): Option {
  return new Option(
    '--changed <what>',
    'rows whose content changed after a submit that was or may be billed: rerun pays again for all, rerun=ID,… for these',
  ).argParser(changedOrder);
}

export function noDependentsOption(): Option {
  return new Option(
    '--no-dependents',
    'with --changed: what the changed rows feed stays as it is, with the flag stale_input, and is not paid again',
  );
}

/** Throws a UserError where nothing was ordered that rows could be left out of. */
export function keepsDependents(changed: ChangedOrder | undefined, dependents: boolean): boolean {
  if (dependents) return false;
  if (changed !== undefined) return true;
  throw new UserError('--no-dependents goes with --changed rerun');
}

/** What either of two orders covers. */
export function bothOrders(a: ChangedOrder, b: ChangedOrder): ChangedOrder {
  if (typeof a === 'boolean') return a || b;
  return typeof b === 'boolean' ? b || a : new Set([...a, ...b]);
}

function changedOrder(text: string): ChangedOrder {
  const [word, ids, ...rest] = text.split('=');
  if (word !== 'rerun' || rest.length > 0) throw new InvalidArgumentError("it must be 'rerun' or 'rerun=ID,…'");
  if (ids === undefined) return true;
  const named = ids.split(',').filter((id) => id !== '');
  if (named.length === 0) throw new InvalidArgumentError('it names no row');
  return new Set(named);
}
