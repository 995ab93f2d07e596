import type { RowRef } from '../../contract/workflows.js';
import type { Attempt } from '../../domain/attempt.js';
import { defined } from '../../domain/defined.js';
import type { CreditsNano } from '../../domain/money.js';
import { needsPerson, type RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { intentOf, type Standing, standingOf } from '../../domain/standing.js';
import { feedsReader } from '../../home/feeders.js';
import { resultLines } from '../../home/result-lines.js';
import { attemptOf, recordFor } from '../../home/row-standing.js';
import { rowAt } from '../../home/rows.js';
import { nameFlaw } from '../../manifest/names.js';
import { nearestWord } from '../../manifest/suggest.js';
import { resultSources, rowsOf } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { retryClasses } from '../batch/run-flags.js';
import { commandHint, orderWords } from '../open-session.js';
import { UserError } from '../user-error.js';

/** Which rows another render is ordered of, and why it cannot be. */

export interface PlacedRow {
  row: Row;
  part: number;
}

/** A row that a person may have to settle, with all that the home knows of it. */
export interface CaseRow {
  batch: string;
  row: Row;
  /** Absent while the credits check goes on, or the row is under way otherwise. */
  record?: RowRecord;
  attempts: Attempt[];
  /** The one that the row stands with: an order is about this one. */
  last: Attempt | undefined;
  standing: Standing;
  /** It left the manifest: whatever is ordered, no job of its batch sends it. */
  isRemoved?: true;
}

/** One that was looked for, with its place. */
export interface FoundCase extends CaseRow {
  ref: RowRef;
}

/** Rows that need a person, and those whose case is open, in the manifest's order. */
export async function* caseRows({ access, batch, generation }: KnownBatch): AsyncIterable<CaseRow> {
  for await (const { row, record, live, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    const isCase = record === undefined ? live === 'checking' : needsPerson(record);
    if (isCase) yield caseOf({ batch, row, isRemoved: removed }, await access.ledger.read(batch, row.id), record);
  }
}

/** One row by its id; throws a UserError when it was never tried. */
export async function findCase(known: KnownBatch, id: string): Promise<FoundCase> {
  const { access, batch } = known;
  const attempts = nameFlaw(id) === undefined ? await access.ledger.read(batch, id) : [];
  const place = attempts.length === 0 ? undefined : await findRow(known, id, attempts);
  if (place === undefined) {
    throw new UserError(
      `batch '${batch}' has no attempt of a row '${id.slice(0, 120)}'${await nearestIdHint(known, id)}; \`${commandHint(known.session, orderWords('review list', batch))}\` shows the rows that need a person`,
    );
  }
  const { row, ref } = place;
  const isRemoved = ref.generation !== known.generation.generation;
  const written = await access.records.readRecord(batch, id);
  // As the views show it: what is done for other values of the row is not what the manifest asks for.
  const record = written && !isRemoved ? recordFor(written, row.hash) : written;
  return { ...caseOf({ batch, row, isRemoved }, attempts, record), ref };
}

/** `; did you mean 'a1'?` where the manifest has no such row and one of its first thousand is spelled much like it. */
export async function nearestIdHint({ access, batch, generation }: KnownBatch, id: string): Promise<string> {
  const others: string[] = [];
  for await (const { row } of rowsOf(access, batch, generation)) {
    if (row.id === id) return '';
    if (others.length < 1_000) others.push(row.id);
  }
  const nearest = nearestWord(id, others);
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`;
}

function caseOf(
  { batch, row, isRemoved }: { batch: string; row: Row; isRemoved: boolean | undefined },
  attempts: Attempt[],
  record: RowRecord | undefined,
): CaseRow {
  const last = attemptOf(record, attempts);
  const standing = last === undefined ? 'void' : standingOf(last);
  return { batch, row, attempts, last, standing, ...defined({ record }), ...(isRemoved ? { isRemoved } : {}) };
}

/** What may have been paid for nothing until now, or was: null = no price is known. */
export function stakeOf({ record, last }: Pick<CaseRow, 'record' | 'last'>): CreditsNano | null {
  if (record?.status === 'lost_paid' && record.creditsNano !== undefined) return record.creditsNano;
  return (last && intentOf(last)?.expected?.hi) ?? null;
}

/** In the rows that the batch runs now, else in those of the manifest that the last attempt was made for. */
async function findRow(
  known: KnownBatch,
  id: string,
  attempts: Attempt[],
): Promise<{ row: Row; ref: RowRef } | undefined> {
  const { access, batch, generation } = known;
  for await (const { row, part } of rowsOf(access, batch, generation)) {
    if (row.id === id) return { row, ref: refTo(known, { row, part }) };
  }
  const intent = attempts.map(intentOf).findLast((found) => found !== undefined);
  if (intent === undefined) return undefined;
  const { row } = await access.rows.readRow(batch, intent.generation, intent.part, intent.index);
  return { row, ref: refTo({ batch, generation: intent }, { row, part: intent.part }) };
}

export function refTo(
  { batch, generation: { generation } }: { batch: string; generation: { generation: string } },
  { row, part }: PlacedRow,
): RowRef {
  return { batch, generation, part, index: row.index, id: row.id, kind: row.kind };
}

/** Which rows of a batch an order is for: those that are named, or those that need a person. */
export interface RowChoice {
  ids: readonly string[];
  all: boolean;
  /** Classes or reason codes, with commas; undefined where none was asked for. */
  classes: string | undefined;
}

/** The ids, in the order given or in the manifest's; throws a UserError where the choice says nothing or two things. */
export async function chosenIds(known: KnownBatch, choice: RowChoice): Promise<string[]> {
  const { ids, all, classes } = choice;
  const isOpenChoice = all || classes !== undefined;
  if (isOpenChoice === ids.length > 0) {
    const why = isOpenChoice ? 'ids and --all or --class exclude each other:' : 'which rows?';
    throw new UserError(`${why} name the ids, or say --all or --class <class>; nothing was changed`);
  }
  if (!isOpenChoice) return [...new Set(ids)];
  const codes = retryClasses(classes);
  const chosen: string[] = [];
  for await (const { row, record } of caseRows(known)) {
    if (record === undefined || !needsPerson(record)) continue;
    if (codes.length === 0 || (record.reasonCode !== undefined && codes.includes(record.reasonCode)))
      chosen.push(row.id);
  }
  return chosen;
}

/** All that a row feeds, and what that feeds, each row behind one that feeds it. */
export async function dependentsOf(known: KnownBatch, { row }: PlacedRow): Promise<PlacedRow[]> {
  const { access, batch } = known;
  const { generation } = known.generation;
  const feeds = feedsReader(access, batch, generation);
  const seen = new Set([row.index]);
  const found: PlacedRow[] = [];
  for (const index of seen) {
    for (const next of (await feeds.of(index)) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      const place = await rowAt(access.rows, batch, generation, next);
      if (place !== undefined && !place.stored.isDamaged) found.push({ row: place.stored.row, part: place.part });
    }
  }
  return found;
}

/** How many rows share the render of a row and ended without it: nothing but a `retry` copies it for them. */
export async function countLeftSharing({ access, batch, generation }: KnownBatch, { row, part }: PlacedRow) {
  const feeds = await feedsReader(access, batch, generation.generation).ofPart(part);
  const ids: string[] = [];
  for (const index of feeds.sharing.get(row.index) ?? []) {
    const place = await rowAt(access.rows, batch, generation.generation, index);
    if (place !== undefined) ids.push(place.stored.row.id);
  }
  const records = await access.records.readRecords(batch, ids);
  return records.filter((record) => record?.reasonCode === 'shared_row_failed').length;
}
