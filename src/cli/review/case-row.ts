import type { RowRef } from '../../contract/workflows.js';
import { type Attempt, intentOf, type Standing, standingOf } from '../../domain/attempt.js';
import { KINDS } from '../../domain/kind.js';
import type { CreditsNano } from '../../domain/money.js';
import { needsPerson } from '../../domain/needs-person.js';
import type { RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { resultLines } from '../../home/result-lines.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from '../batch/final-rows.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { UserError } from '../user-error.js';

/** A row that a person may have to settle, with all that the home knows of it. */
export interface CaseRow {
  batch: string;
  row: Row;
  /** Absent while the credits check goes on, or the row is under way otherwise. */
  record?: RowRecord;
  attempts: Attempt[];
  standing: Standing;
}

/** One that was looked for, with its place. */
export interface FoundCase extends CaseRow {
  ref: RowRef;
}

/** Rows that need a person, and those whose case is open, in the manifest's order. */
export async function* caseRows(access: HomeAccess, { batch, generation }: KnownBatch): AsyncIterable<CaseRow> {
  for await (const line of resultLines(resultSources(access), batch, generation.generation)) {
    const { row, record, live } = line;
    const isCase = record === undefined ? live === 'checking' : needsPerson(record);
    if (!isCase) continue;
    const attempts = await access.ledger.read(batch, row.id);
    yield { batch, row, attempts, standing: lastStanding(attempts), ...(record ? { record } : {}) };
  }
}

/** One row by its id; throws a UserError when it was never tried. */
export async function findCase(access: HomeAccess, known: KnownBatch, id: string): Promise<FoundCase> {
  const { batch } = known;
  const attempts = await access.ledger.read(batch, id);
  const place = attempts.length === 0 ? undefined : await findRow(access, known, id, attempts);
  if (place === undefined) {
    throw new UserError(
      `batch '${batch}' has no attempt of a row '${id.slice(0, 120)}'; \`callsheet review list ${batch}\` shows the rows that need a person`,
    );
  }
  const record = await access.records.readRecord(batch, id);
  return { batch, ...place, attempts, standing: lastStanding(attempts), ...(record ? { record } : {}) };
}

/** What may have been paid for nothing until now, or was: null = no price is known. */
export function stakeOf({ record, attempts }: Pick<CaseRow, 'record' | 'attempts'>): CreditsNano | null {
  if (record?.status === 'lost_paid' && record.creditsNano !== undefined) return record.creditsNano;
  const last = attempts.at(-1);
  return (last && intentOf(last)?.expected?.hi) ?? null;
}

function lastStanding(attempts: Attempt[]): Standing {
  const last = attempts.at(-1);
  return last === undefined ? 'void' : standingOf(last);
}

/** In the rows that the batch runs now, else in those of the manifest that the last attempt was made for. */
async function findRow(
  access: HomeAccess,
  { batch, generation }: KnownBatch,
  id: string,
  attempts: Attempt[],
): Promise<{ row: Row; ref: RowRef } | undefined> {
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      if (row.id === id) return { row, ref: refOf(batch, generation.generation, part, row) };
    }
  }
  const intent = attempts.map(intentOf).findLast((found) => found !== undefined);
  if (intent === undefined) return undefined;
  const { row } = await access.rows.readRow(batch, intent.generation, intent.part, intent.index);
  return { row, ref: refOf(batch, intent.generation, intent.part, row) };
}

function refOf(batch: string, generation: string, part: number, row: Row): RowRef {
  return { batch, generation, part, index: row.index, id: row.id, kind: KINDS.indexOf(row.kind) };
}
