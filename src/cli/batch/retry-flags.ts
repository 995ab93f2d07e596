import { InvalidArgumentError } from 'commander';
import { REASONS, type ReasonCode } from '../../domain/failure.js';
import { FAILURE_CLASSES } from '../../domain/reasons.js';
import { nearestWord } from '../../manifest/suggest.js';
import { UserError } from '../user-error.js';

/** What `run --retry-failed` and `retry` have in common. */

/**
 * The reason codes of a retry, from classes (`provider`), reason codes (`render_failed`) or statuses (`failed`), several
 * with commas; undefined = every one. Throws a UserError with the list of classes.
 */
export function retryClasses(text: string | undefined): string[] {
  if (text === undefined) return [];
  // An empty word comes from a variable that is not set: whoever says --class does not mean every row.
  if (text.trim() === '') throw new UserError(`--class is empty: name one of ${FAILURE_CLASSES.join(', ')}`);
  const wanted = text.split(',').map((one) => one.trim());
  return [...new Set(wanted.flatMap(codesOf))];
}

function codesOf(asked: string): string[] {
  // The class had this name once.
  const word = asked === 'download' ? 'output' : asked;
  const codes = Object.keys(REASONS) as ReasonCode[];
  const ofClass = codes.filter((code) => REASONS[code].class === word);
  if (word === 'failed') return codes.filter((code) => code !== 'cancelled_by_user');
  if (ofClass.length > 0) return word === 'cancelled' ? [...ofClass, word] : ofClass;
  if (codes.some((code) => code === word)) return [word];
  const nearest = nearestWord(word, [...FAILURE_CLASSES, ...codes, 'failed']);
  const hint = nearest === undefined ? '' : `did you mean '${nearest}'? `;
  throw new UserError(
    `unknown class '${word.slice(0, 80)}'; ${hint}Classes: ${FAILURE_CLASSES.join(', ')}; a reason_code such as render_failed is taken as well`,
  );
}

/** For commander: a small whole number. */
export function wholeNumber(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('it must be a whole number from 0 to 99');
}
