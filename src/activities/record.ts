import type { RowRef } from '../contract/workflows.js';
import { type Attempt, type AttemptState, handleOf, isKnownUnbilled, standingOf } from '../domain/attempt.js';
import type { ReasonCode } from '../domain/failure.js';
import type { OutputFile, RowRecord, Status } from '../domain/outcome.js';
import type { Dependencies } from './dependencies.js';
import { actualCredits } from './prices.js';
import { loadRow, type RowWork } from './row-work.js';

/** Makes a row's record from its ledger: what results.csv says of it. */

export interface Ending {
  status: Status;
  reason?: ReasonCode;
  files?: OutputFile[];
  warnings?: string[];
}

/** Writes the record, then tells the batch; both can be repeated. */
export async function endRow(deps: Dependencies, ref: RowRef, ending: Ending): Promise<void> {
  const work = await loadRow(deps, ref);
  const attempts = await deps.ledger.read(ref.batch, ref.id);
  const record = await buildRecord(deps, work, attempts, ending);
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

async function buildRecord(deps: Dependencies, work: RowWork, attempts: Attempt[], ending: Ending): Promise<RowRecord> {
  const last = attempts.at(-1);
  const result = last && resultState(last);
  const handle = last && handleOf(last);
  const reason = last && ending.status !== 'done' ? reasonText(last) : undefined;
  const facts = result?.facts ?? {};
  const submittedAtMs = claimedAtMs(last);
  return {
    schema: 1,
    id: work.row.id,
    kind: work.row.kind,
    status: ending.status,
    ...(ending.reason ? { reasonCode: ending.reason } : {}),
    ...(reason ? { reason } : {}),
    flags: [],
    warnings: [...warningsOf(attempts), ...(facts.warnings ?? []), ...(ending.warnings ?? [])],
    attempts: attempts.filter((attempt) => standingOf(attempt) !== 'void').length,
    files: ending.files ?? [],
    ...(facts.seed === undefined ? {} : { seed: facts.seed }),
    ...(facts.revisedPrompt === undefined ? {} : { revisedPrompt: facts.revisedPrompt }),
    ...(facts.usage === undefined ? {} : { usage: facts.usage }),
    ...(await creditsOf(deps, work, attempts, result)),
    ...(handle === undefined ? {} : { handle }),
    ...(submittedAtMs === undefined ? {} : { submittedAtMs }),
    ...(result ? { renderedAtMs: result.atMs } : {}),
    finishedAtMs: deps.now(),
    rowHash: work.row.hash,
  };
}

type ResultState = Extract<AttemptState, { state: 'done' | 'rendered' }>;

/** The last recorded result of an attempt. */
export function resultState(attempt: Attempt): ResultState | undefined {
  return attempt.states.findLast((state): state is ResultState => state.state === 'done' || state.state === 'rendered');
}

/** 0 when every attempt is known unbilled; the price book's figure for a result; else unknown. */
async function creditsOf(
  deps: Dependencies,
  { row, adapter }: RowWork,
  attempts: Attempt[],
  result: ResultState | undefined,
): Promise<Pick<RowRecord, 'creditsNano' | 'creditsBasis'>> {
  if (attempts.every((attempt) => isKnownUnbilled(standingOf(attempt)))) {
    return { creditsNano: 0, creditsBasis: 'price-book' };
  }
  if (result) {
    const cost = await actualCredits(deps, row, adapter, result.facts, result.atMs);
    if (cost && cost.lo === cost.hi) return { creditsNano: cost.lo, creditsBasis: 'price-book' };
    return { creditsBasis: 'unknown' };
  }
  const last = attempts.at(-1);
  const expected = last && standingOf(last) === 'billed' ? expectedOf(last) : null;
  if (expected && expected.lo === expected.hi) return { creditsNano: expected.lo, creditsBasis: 'price-book' };
  return { creditsBasis: 'unknown' };
}

function expectedOf(attempt: Attempt): { lo: number; hi: number | null } | null {
  const first = attempt.states[0];
  return first?.state === 'intent' ? first.expected : null;
}

function warningsOf(attempts: Attempt[]): string[] {
  return attempts.flatMap(({ states }) =>
    states.flatMap((state) => (state.state === 'created' && state.warning ? [state.warning] : [])),
  );
}

/** The provider's code, message and request id, or the sentence of the verdict. */
function reasonText({ states }: Attempt): string | undefined {
  const last = states.at(-1);
  switch (last?.state) {
    case 'refused':
      return [last.status, last.code, last.message, last.requestId && `(request ${last.requestId})`]
        .filter((part) => part !== undefined && part !== '')
        .join(' ');
    case 'ended':
      return [last.word, last.code, last.message].filter((part) => part !== undefined && part !== '').join(': ');
    case 'verdict':
      return last.sentence;
    case 'void':
      return last.why;
    case 'unknown':
    case 'created_lost':
      return last.evidence.message;
    default:
      return undefined;
  }
}
