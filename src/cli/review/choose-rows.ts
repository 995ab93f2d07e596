import { needsPerson } from '../../domain/outcome.js';
import type { HomeAccess } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { retryClasses } from '../batch/retry-flags.js';
import { UserError } from '../user-error.js';
import { caseRows } from './case-row.js';

/** Which rows of a batch an order is for: those that are named, or those that need a person. */
export interface RowChoice {
  ids: readonly string[];
  all: boolean;
  /** Classes or reason codes, with commas; undefined where none was asked for. */
  classes: string | undefined;
}

/** The ids, in the order given or in the manifest's; throws a UserError where the choice says nothing or two things. */
export async function chosenIds(access: HomeAccess, known: KnownBatch, choice: RowChoice): Promise<string[]> {
  const { ids, all, classes } = choice;
  const isOpenChoice = all || classes !== undefined;
  if (isOpenChoice === ids.length > 0) {
    const why = isOpenChoice ? 'ids and --all or --class exclude each other' : 'which rows?';
    throw new UserError(`${why} Name their ids, or say --all or --class <class>; nothing was changed`);
  }
  if (!isOpenChoice) return [...new Set(ids)];
  const codes = retryClasses(classes);
  const chosen: string[] = [];
  for await (const { row, record } of caseRows(access, known)) {
    if (record === undefined || !needsPerson(record)) continue;
    if (codes.length === 0 || (record.reasonCode !== undefined && codes.includes(record.reasonCode)))
      chosen.push(row.id);
  }
  return chosen;
}
