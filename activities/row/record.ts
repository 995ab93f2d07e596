import { creditsOf } from '../../src/books/credits.js';
import { finishBooks } from '../../src/books/finish-books.js';
import { isMiscountedRow } from '../../src/books/group-labels.js';
import { tellRevised } from '../../src/books/revise.js';
import type { RowRef } from '../../src/contract/workflows.js';
import type { Attempt } from '../../src/domain/attempt.js';
import { defined } from '../../src/domain/defined.js';
import type { ResultFacts } from '../../src/domain/exchange.js';
import type { ReasonCode } from '../../src/domain/failure.js';
import type { OutputFile, RowRecord, Status } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { handleOf, intentOf, standingOf } from '../../src/domain/standing.js';
import { resultState } from '../../src/home/attempts.js';
import { readBatchOrder } from '../../src/home/batch-order.js';
import {
  flagsOf,
  groupOf,
  hasEarlier,
  isForInputs,
  isPaidTwice,
  keepEarlier,
  keepMark,
  reasonText,
} from '../../src/home/earlier-render.js';
import { fedFiles, fedInputs } from '../../src/home/feeders.js';
import { keepRenders } from '../../src/home/past-renders.js';
import { keepPresent } from '../../src/home/present-render.js';
import { damagedRecord } from '../../src/home/row-records.js';
import { recordFor, statesOf } from '../../src/home/row-standing.js';
import { loadRow, type RowWork, rowInForce } from '../../src/home/row-work.js';
import { modelOf } from '../../src/manifest/columns.js';
import { sidecarOf, writeSidecars } from '../../src/store/sidecar.js';
import type { Dependencies } from '../dependencies.js';
import { readAttempts } from './claims.js';
import { keptText } from './closed-models.js';

/** Makes a row's record from its ledger: what results.csv says of it. */

export interface Ending {
  status: Status;
  /** The attempt that the row ends with; absent = its last. */
  n?: number;
  reason?: ReasonCode;
  files?: OutputFile[];
  warnings?: string[];
  /** For people, beside what the service said. */
  text?: string;
  /** The row whose render this one shares: what the service said of it holds here too. */
  shared?: RowRecord;
  /** The row had ended before and was counted: its record is corrected. */
  isLate?: true;
}

/** Writes the record, then tells the batch; both can be repeated. */
export async function endRow(deps: Dependencies, ref: RowRef, ending: Ending): Promise<void> {
  const work = await loadRow(deps, ref);
  const attempts = await readEnded(deps, ref);
  for (const one of attempts) await finishBooks(deps.books, { batch: ref.batch, id: ref.id, n: one.n }, one);
  let before = await deps.records.readRecord(ref.batch, ref.id);
  const isMiscounted = await isMiscountedRow(deps.books, ref, attempts);
  const made = await buildRecord(deps, work, ref, attempts, forPerson(attempts, ending, isMiscounted));
  const isEarlier = attempts.some((one) => one.n > (ending.n ?? one.n) && resultState(one) !== undefined);
  // What holds for the manifest that the batch runs now.
  const present = (await rowInForce(deps.rows, { ref, row: work.row }))?.row.hash;
  const endOf = (was: RowRecord | undefined): { record: RowRecord; isKept: boolean } => {
    const ended = keepMark(was, keepEarlier(was, made));
    const shown = keepPresent(was, ended, present, isEarlier);
    return { record: keepRenders(was, made, shown), isKept: shown !== ended };
  };
  const first = endOf(before);
  let { record } = first;
  // What stays has its own beside it.
  const isNew = !first.isKept && record.files.length > 0 && !hasEarlier(record);
  if (work.options.sidecar === true && isNew) {
    const sidecar = sidecarOf(work.row, record, modelOf(work.row), fedFiles(work.feeders, record));
    await writeSidecars(deps.openStore(work.options.out), ref.batch, record, sidecar);
  }
  if (before === undefined) await deps.records.writeRecord(ref.batch, record);
  else {
    // Since it was read a person may have ordered something of the row, or the balance told what it cost.
    await deps.records.changeRecord(ref.batch, ref.id, (now) => {
      before = now;
      record = endOf(now).record;
      return record;
    });
  }
  if (ending.isLate && before) await tellRevised(deps.messenger, ref.batch, before, record);
  else await tell(deps, ref, recordFor(record, present));
}

/** A claim that nobody sent ends with its row. */
async function readEnded(deps: Dependencies, { batch, id }: RowRef): Promise<Attempt[]> {
  const attempts = await deps.ledger.read(batch, id);
  const last = attempts.at(-1);
  return last && standingOf(last) === 'claimed' ? readAttempts(deps, { batch, id, n: last.n }) : attempts;
}

/** Ends a row whose line in the home cannot be read: of it no more than its id is known. */
export async function endDamaged(deps: Dependencies, ref: RowRef): Promise<void> {
  const record = { ...damagedRecord(ref.id), attempts: 0, finishedAtMs: deps.now() };
  await deps.records.writeRecord(ref.batch, record);
  await tell(deps, ref, record);
}

/** Whether an earlier try has written the record of this attempt's output; the batch is told of it once more. */
export async function isRecordedDone(
  deps: Dependencies,
  ref: RowRef,
  { row }: RowWork,
  attempt: Attempt,
): Promise<boolean> {
  const record = await deps.records.readRecord(ref.batch, ref.id);
  if (record?.status !== 'done' || record.rowHash !== (intentOf(attempt)?.rowHash ?? row.hash)) return false;
  if (record.submittedAtMs !== claimedAtMs(attempt)) return false;
  await tell(deps, ref, recordFor(record, row.hash));
  return true;
}

async function tell({ messenger }: Dependencies, ref: RowRef, record: RowRecord): Promise<void> {
  const { status, creditsNano = null, reasonCode } = record;
  await messenger.rowFinished(ref.batch, { id: ref.id, status, creditsNano, ...defined({ reason: reasonCode }) });
}

/** The hash of the content that was paid for; it is not the row's where the manifest was changed meanwhile. */
function contentOf({ status, shared }: Ending, last: Attempt | undefined, row: Row): string {
  const isPaid = status === 'done' || status === 'lost_paid' || status === 'review';
  return (isPaid && !shared && last && intentOf(last)?.rowHash) || row.hash;
}

function claimedAtMs(attempt: Attempt | undefined): number | undefined {
  return attempt?.states.find((state) => state.state === 'intent')?.atMs;
}

async function buildRecord(
  deps: Dependencies,
  work: RowWork,
  ref: RowRef,
  attempts: Attempt[],
  ending: ReturnType<typeof forPerson>,
): Promise<RowRecord> {
  const last = attempts.find(({ n }) => n === ending.n) ?? attempts.at(-1);
  const result = last && resultState(last);
  const kept = await keptText(deps, ref.batch, work.row, { reason: ending.reason, last });
  const said = kept ?? (last && ending.status !== 'done' && !isForInputs(ending.reason) ? reasonText(last) : undefined);
  const reason = [said, ending.text].filter((part) => part !== undefined && part !== '').join('; ');
  const { shared } = ending;
  const facts: ResultFacts = result?.facts ?? defined({ seed: shared?.seed, revisedPrompt: shared?.revisedPrompt });
  const { seed, revisedPrompt, warnings = [] } = facts;
  const told = [...warnings, ...(ending.warnings ?? [])];
  return defined({
    schema: 1 as const,
    id: work.row.id,
    kind: work.row.kind,
    status: ending.status,
    reasonCode: ending.reason,
    reason: reason || undefined,
    flags: flagsOf(attempts, ending.isMiscounted),
    warnings: [...new Set([...warningsOf(attempts), ...severalOf(work.feeders), ...told])],
    attempts: attempts.filter((attempt) => standingOf(attempt) !== 'void').length,
    files: ending.files ?? [],
    seed,
    revisedPrompt,
    usage: facts.usage,
    ...(await creditsOf(deps.books, work.row, ref.batch, attempts)),
    handle: last && handleOf(last),
    settledTogether: groupOf(attempts),
    submittedAtMs: claimedAtMs(last),
    renderedAtMs: result?.atMs,
    finishedAtMs: deps.now(),
    endedUnder: ending.status === 'done' ? undefined : (await readBatchOrder(deps.home, ref.batch))?.retry?.id,
    inputs: ending.status === 'done' ? inputsOf(work, last) : undefined,
    rowHash: contentOf(ending, last, work.row),
    seenStates: statesOf(attempts),
  });
}

/** As they were sent: what feeds the row may have been rendered again since. */
function inputsOf(work: RowWork, last: Attempt | undefined): RowRecord['inputs'] {
  return (last && intentOf(last)?.inputs) ?? fedInputs(work).inputs;
}

/** A row whose contradicted attempt may have been paid beside a later one needs a person, whatever that one brought. */
function forPerson(attempts: Attempt[], ending: Ending, isMiscounted: boolean): Ending & { isMiscounted: boolean } {
  if (!isPaidTwice(attempts, isMiscounted)) return { ...ending, isMiscounted };
  return { ...ending, isMiscounted, status: 'review', reason: 'verdict_contradicted' };
}

function warningsOf(attempts: Attempt[]): string[] {
  return attempts.flatMap(({ states }) =>
    states.flatMap((state) => (state.state === 'created' && state.warning ? [state.warning] : [])),
  );
}

/** A row that gave several files feeds the first of them. */
function severalOf(feeders: RowWork['feeders']): string[] {
  return feeders.flatMap(({ media, record }) => {
    const count = record?.files.length ?? 0;
    return count > 1 ? [`row ${media.id} gave ${count} files: the first of them feeds this row`] : [];
  });
}
