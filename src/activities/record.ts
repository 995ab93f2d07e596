import type { RowRef } from '../contract/workflows.js';
import { type Attempt, handleOf, standingOf } from '../domain/attempt.js';
import type { ReasonCode } from '../domain/failure.js';
import type { OutputFile, RowRecord, Status } from '../domain/outcome.js';
import type { ResultFacts } from '../domain/reading.js';
import { modelOf } from '../manifest/cost-notes.js';
import { sidecarOf, writeSidecars } from '../store/sidecar.js';
import type { Dependencies } from './dependencies.js';
import { finishBooks } from './finish-books.js';
import { tellRevised } from './revise.js';
import { creditsOf, resultState } from './row-credits.js';
import { statesOf } from './row-letter.js';
import { flagsOf, groupOf, isPaidTwice, reasonText } from './row-reason.js';
import { loadRow, type RowWork } from './row-work.js';

/** Makes a row's record from its ledger: what results.csv says of it. */

export interface Ending {
  status: Status;
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
  const attempts = await deps.ledger.read(ref.batch, ref.id);
  const last = attempts.at(-1);
  if (last) await finishBooks(deps, work, { batch: ref.batch, id: ref.id, n: last.n }, last);
  const record = await buildRecord(deps, work, ref, attempts, forPerson(attempts, ending));
  if (work.options.sidecar === true && record.files.length > 0) {
    const sidecar = sidecarOf(work.row, record, modelOf(work.row));
    await writeSidecars(deps.openStore(work.options.out), ref.batch, record, sidecar);
  }
  const was = ending.isLate && (await deps.records.readRecord(ref.batch, ref.id));
  await deps.records.writeRecord(ref.batch, record);
  if (was) await tellRevised(deps, ref.batch, was, record);
  else await tell(deps, ref, record);
}

/** Whether an earlier try has written the record of this attempt's output; the batch is told of it once more. */
export async function isRecordedDone(
  deps: Dependencies,
  ref: RowRef,
  { row }: RowWork,
  attempt: Attempt,
): Promise<boolean> {
  const record = await deps.records.readRecord(ref.batch, ref.id);
  if (record?.status !== 'done' || record.rowHash !== row.hash) return false;
  if (record.submittedAtMs !== claimedAtMs(attempt)) return false;
  await tell(deps, ref, record);
  return true;
}

async function tell({ messenger }: Dependencies, ref: RowRef, { status, creditsNano }: RowRecord): Promise<void> {
  await messenger.rowFinished(ref.batch, { id: ref.id, status, creditsNano: creditsNano ?? null });
}

function claimedAtMs(attempt: Attempt | undefined): number | undefined {
  return attempt?.states.find((state) => state.state === 'intent')?.atMs;
}

async function buildRecord(
  deps: Dependencies,
  work: RowWork,
  ref: RowRef,
  attempts: Attempt[],
  ending: Ending,
): Promise<RowRecord> {
  const last = attempts.at(-1);
  const result = last && resultState(last);
  const handle = last && handleOf(last);
  const said = last && ending.status !== 'done' ? reasonText(last) : undefined;
  const reason = [said, ending.text].filter((part) => part !== undefined && part !== '').join('; ');
  const facts = result?.facts ?? sharedFacts(ending.shared);
  const submittedAtMs = claimedAtMs(last);
  const group = groupOf(attempts);
  return {
    schema: 1,
    id: work.row.id,
    kind: work.row.kind,
    status: ending.status,
    ...(ending.reason ? { reasonCode: ending.reason } : {}),
    ...(reason ? { reason } : {}),
    flags: flagsOf(attempts),
    warnings: [...warningsOf(attempts), ...(facts.warnings ?? []), ...(ending.warnings ?? [])],
    attempts: attempts.filter((attempt) => standingOf(attempt) !== 'void').length,
    files: ending.files ?? [],
    ...(facts.seed === undefined ? {} : { seed: facts.seed }),
    ...(facts.revisedPrompt === undefined ? {} : { revisedPrompt: facts.revisedPrompt }),
    ...(facts.usage === undefined ? {} : { usage: facts.usage }),
    ...(await creditsOf(deps, work, ref, attempts)),
    ...(handle === undefined ? {} : { handle }),
    ...(group === undefined ? {} : { settledTogether: group }),
    ...(submittedAtMs === undefined ? {} : { submittedAtMs }),
    ...(result ? { renderedAtMs: result.atMs } : {}),
    finishedAtMs: deps.now(),
    rowHash: work.row.hash,
    seenStates: statesOf(attempts),
  };
}

function sharedFacts(shared: RowRecord | undefined): ResultFacts {
  if (shared === undefined) return {};
  const { seed, revisedPrompt } = shared;
  return { ...(seed === undefined ? {} : { seed }), ...(revisedPrompt === undefined ? {} : { revisedPrompt }) };
}

/** A row whose contradicted attempt may have been paid beside a later one needs a person, whatever that one brought. */
function forPerson(attempts: Attempt[], ending: Ending): Ending {
  return isPaidTwice(attempts) ? { ...ending, status: 'review', reason: 'verdict_contradicted' } : ending;
}

function warningsOf(attempts: Attempt[]): string[] {
  return attempts.flatMap(({ states }) =>
    states.flatMap((state) => (state.state === 'created' && state.warning ? [state.warning] : [])),
  );
}
