import { InvalidArgumentError } from 'commander';
import { REASONS } from '../../domain/failure.js';
import { nearestWord } from '../../manifest/suggest.js';
import { UserError } from '../user-error.js';

/** What `run --retry-failed` and `retry` have in common. */

/** The classes of a retry, checked; empty text = every class. */
export function retryClasses(text: string): string[] {
  if (text === '') return [];
  const known = [...Object.keys(REASONS), 'cancelled', 'failed'];
  const classes = text.split(',').map((one) => one.trim());
  const unknown = classes.find((one) => !known.includes(one));
  if (unknown === undefined) return classes;
  const nearest = nearestWord(unknown, known);
  const hint =
    nearest === undefined ? 'it is the reason_code of the rows, such as render_failed' : `did you mean '${nearest}'?`;
  throw new UserError(`unknown class '${unknown.slice(0, 80)}'; ${hint}`);
}

/** For commander: a small whole number. */
export function wholeNumber(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('it must be a whole number from 0 to 99');
}
