import { InvalidArgumentError, Option } from 'commander';

/** Which changed rows are paid again: every one, none, or those that are named. */
export type ChangedOrder = boolean | ReadonlySet<string>;

export function changedOption(): Option {
  return new Option(
    '--changed <what>',
    'rows whose content changed after a submit that was or may be billed: rerun pays again for all, rerun=ID,… for these',
  ).argParser(changedOrder);
}

export function isRerun(order: ChangedOrder, id: string): boolean {
  return typeof order === 'boolean' ? order : order.has(id);
}

function changedOrder(text: string): ChangedOrder {
  const [word, ids, ...rest] = text.split('=');
  if (word !== 'rerun' || rest.length > 0) throw new InvalidArgumentError("it must be 'rerun' or 'rerun=ID,…'");
  if (ids === undefined) return true;
  const named = ids.split(',').filter((id) => id !== '');
  if (named.length === 0) throw new InvalidArgumentError('it names no row');
  return new Set(named);
}
