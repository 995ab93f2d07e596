import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import type { RetryOrder } from '../../contract/workflows.js';
import { PRIORITY_MAX, type SlotTerms, WEIGHT_MAX } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { REASONS, type ReasonCode } from '../../domain/failure.js';
import { FAILURE_CLASSES } from '../../domain/reasons.js';
import type { RerunOrder } from '../../home/row-orders.js';
import { nearestWord } from '../../manifest/suggest.js';
import { UserError } from '../user-error.js';

/** What `run`, `plan`, `retry` and `limits` take alike. */

/** A new order to run again what has ended by now. `text`, `flag`: as for `retryClasses`. */
export function newRetry(text: string | undefined, flag?: string): RetryOrder {
  return { id: randomUUID(), beforeMs: Date.now(), classes: retryClasses(text, flag) };
}

/**
 * The reason codes of a retry, from classes (`provider`), reason codes (`render_failed`) or statuses (`failed`), several
 * with commas; undefined = every one. Throws a UserError with the list of classes.
 */
export function retryClasses(text: string | undefined, flag = '--class'): string[] {
  if (text === undefined) return [];
  // An empty word comes from a variable that is not set: whoever says --class does not mean every row.
  if (text.trim() === '') throw new UserError(`${flag} is empty: name one of ${FAILURE_CLASSES.join(', ')}`);
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
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`it must be a whole number from ${min} to ${max}`);
  };
}

/** `otherwise`: what counts where it is left out. */
export function retriesOption(otherwise = ''): Option {
  const option = new Option('--retries <n>', `try unbilled failed renders this often by itself${otherwise}`);
  return option.argParser(wholeNumber(0, 99));
}

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

/** How a batch shares the slots. */
export interface SlotFlags {
  weight?: number;
  priority?: number;
}

export function slotOptions(): Option[] {
  return [
    new Option(
      '--weight <n>',
      `part of the slots' time beside other batches, 1 to ${WEIGHT_MAX} (default 1)`,
    ).argParser(wholeNumber(1, WEIGHT_MAX)),
    new Option(
      '--priority <n>',
      'before batches of lower priority, which keep a tenth of the slots (default 0)',
    ).argParser(wholeNumber(-PRIORITY_MAX, PRIORITY_MAX)),
  ];
}

/** What was given, and nothing else. */
export function slotFlags({ weight, priority }: SlotFlags): Partial<SlotTerms> {
  return defined({ weight, priority });
}
