import type { ConfirmInput, ConfirmResult } from '../contract/activities.js';
import { type Attempt, type AttemptRef, handleOf, intentOf, standingOf } from '../domain/attempt.js';
import type { PollReading } from '../domain/reading.js';
import { bookCharge, bookUnbilled } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { loadRow, type RowWork } from './row-work.js';
import { noteCaseEnd } from './semaphore-notes.js';

export interface ConfirmActivities {
  /** Takes one handle that is known by a hint alone (a cut answer, a callback) for real if a poll confirms it. */
  confirmHandle(input: ConfirmInput): Promise<ConfirmResult>;
}

interface Candidate {
  handle: string;
  warning: string;
}

export function confirmActivities(deps: Dependencies): ConfirmActivities {
  return { confirmHandle: (input) => withRecords(() => confirm(deps, input)) };
}

async function confirm(deps: Dependencies, { row, n, candidate }: ConfirmInput): Promise<ConfirmResult> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  if (!attempt || !isLost(attempt)) return { confirmed: false, more: false };
  const candidates = await candidatesOf(deps, attempt);
  const found = candidates[candidate];
  if (found === undefined) return { confirmed: false, more: false };
  const refused: ConfirmResult = { confirmed: false, more: candidate + 1 < candidates.length };
  const work = await loadRow(deps, row);
  if (work.adapter.flow !== 'async' || (await isOfAnother(deps, ref, found.handle))) return refused;
  const exchange = await deps.transport.send(work.adapter.pollRequest(found.handle, work.row));
  if (exchange.outcome !== 'answered') throw tryAgain('service.unavailable', exchange.code);
  const { answer } = exchange;
  if (answer.status === 401) throw tryAgain('service.key-refused', '401');
  if (answer.status === 429 || answer.status >= 500) throw tryAgain('service.unavailable', String(answer.status));
  const reading = work.adapter.readPoll(answer);
  if (answer.status !== 200 || reading.reading === 'unreadable') return refused;
  await deps.ledger.append(ref, { state: 'created', atMs: deps.now(), handle: found.handle, warning: found.warning });
  await recordEnd(deps, work, ref, { claimedAtMs: attempt.states[0]?.atMs ?? deps.now(), reading });
  await noteCaseEnd(deps, ref, true);
  return { confirmed: true, more: false };
}

/** The poll that confirms may be told the end already: nobody asks again after that (I13). */
async function recordEnd(
  deps: Dependencies,
  work: RowWork,
  ref: AttemptRef,
  { claimedAtMs, reading }: { claimedAtMs: number; reading: PollReading },
): Promise<void> {
  const atMs = deps.now();
  if (reading.reading === 'succeeded') {
    const { outputs, facts } = reading;
    await deps.ledger.append(ref, { state: 'rendered', atMs, outputs, facts });
    await bookCharge(deps, work, ref, { claimedAtMs, endedAtMs: atMs, facts });
  } else if (reading.reading === 'failed') {
    const { word, code, message } = reading;
    await deps.ledger.append(ref, { state: 'ended', atMs, word, message, ...(code === undefined ? {} : { code }) });
    await bookUnbilled(deps, work, ref, { claimedAtMs, endedAtMs: atMs });
  } else return;
  await deps.ledger.close(ref);
}

/** An attempt whose answer is lost, with or without a verdict; everything else needs no hint. */
function isLost(attempt: Attempt): boolean {
  const last = attempt.states.at(-1)?.state;
  return standingOf(attempt) === 'open_case' || last === 'verdict' || last === 'ruled';
}

async function candidatesOf(deps: Dependencies, attempt: Attempt): Promise<Candidate[]> {
  const found = new Map<string, string>();
  for (const state of attempt.states) {
    if (state.state !== 'created_lost' || state.salvagedHandle === undefined) continue;
    found.set(state.salvagedHandle, 'the handle was found in a cut answer and confirmed by a poll');
  }
  const intent = intentOf(attempt);
  for (const handle of intent ? await deps.callbacks.handles(intent) : []) {
    if (!found.has(handle)) found.set(handle, 'the handle came by a callback and was confirmed by a poll');
  }
  return [...found].map(([handle, warning]) => ({ handle, warning }));
}

/** A poll would confirm the handle of any job of the account: one that has its row already is not this attempt's. */
async function isOfAnother(deps: Dependencies, ref: AttemptRef, handle: string): Promise<boolean> {
  for await (const open of deps.ledger.open()) {
    if (open.batch === ref.batch && open.id === ref.id && open.n === ref.n) continue;
    const other = await deps.ledger.readAttempt(open);
    if (other && handleOf(other) === handle) return true;
  }
  return false;
}
