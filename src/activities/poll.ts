import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import type { PollInput, PollResult } from '../contract/activities.js';
import { type Attempt, type AttemptRef, acceptanceOf, handleOf, standingOf } from '../domain/attempt.js';
import { endedReason } from '../domain/ended-reason.js';
import type { Answer } from '../domain/exchange.js';
import type { ReasonCode } from '../domain/failure.js';
import { afterRefusal, type Refusals } from '../domain/poll-refusals.js';
import { backoffGapMs, pollGapMs } from '../domain/poll-schedule.js';
import type { PollReading } from '../domain/reading.js';
import { readError } from '../service/errors.js';
import { retryAfterMs } from '../service/retry-after.js';
import { LedgerError } from '../store/ledger.js';
import type { AsyncAdapter } from '../vendors/adapter.js';
import { bookCharge, bookUnbilled } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { giveBack } from './give-back.js';
import { loadRow, type RowWork } from './row-work.js';
import { noteRunning, warnIfLong } from './running.js';
import { noteLimits } from './semaphore-notes.js';
import { renderMaxMs } from './waits.js';

/** Where no life of a handle is documented, unscaled ms. */
const HANDLE_LIFE_MS = 7 * 24 * 3_600_000;
/** Answers that say "ended" without an output, or nothing at all, this often in a row need a person. */
const UNREADABLE_MAX = 20;

/** Kept from try to try in the activity's heartbeat. */
interface Troubles {
  refusals: Refusals | null;
  unreadable: number;
  /** Polls in a row that brought no answer, or a 5xx. */
  failed: number;
}

const NO_TROUBLES: Troubles = { refusals: null, unreadable: 0, failed: 0 };

export interface PollActivities {
  /** One free request; fails with `job.running` and the next delay until the service says terminal. */
  poll(input: PollInput): Promise<PollResult>;
}

/** What the poll of one attempt works with. */
interface Poll {
  deps: Dependencies;
  input: PollInput;
  ref: AttemptRef;
  work: RowWork;
  adapter: AsyncAdapter;
  attempt: Attempt;
  handle: string;
  createdAtMs: number;
  troubles: Troubles;
}

export function pollActivities(deps: Dependencies): PollActivities {
  return {
    async poll(input) {
      const poll = await withRecords(() => openPoll(deps, input));
      if ('outcome' in poll) return poll;
      const lifeMs = (poll.adapter.handleLifeMs ?? HANDLE_LIFE_MS) / input.timeScale;
      if (deps.now() > poll.createdAtMs + lifeMs) return review(poll, 'handle_expired');
      const askedAtMs = deps.now();
      const exchange = await deps.transport.send(poll.adapter.pollRequest(poll.handle, poll.work.row));
      if (exchange.outcome !== 'answered') throw failed(poll, exchange.code);
      const { answer } = exchange;
      if (answer.status >= 200 && answer.status < 300) return takeOrReview(poll, answer, askedAtMs);
      return refused(poll, answer);
    },
  };
}

async function openPoll(deps: Dependencies, input: PollInput): Promise<Poll | PollResult> {
  const ref = { batch: input.row.batch, id: input.row.id, n: input.n };
  const attempt = await deps.ledger.readAttempt(ref);
  const handle = attempt && handleOf(attempt);
  const work = await loadRow(deps, input.row);
  if (!attempt || handle === undefined || work.adapter.flow !== 'async') {
    return { outcome: 'review', reason: 'handle_not_found', slotUntilMs: deps.now() };
  }
  const createdAtMs = acceptanceOf(attempt)?.atMs ?? deps.now();
  const last = Context.current().info.heartbeatDetails as Partial<Troubles> | undefined;
  const troubles = { ...NO_TROUBLES, ...last };
  const poll = { deps, input, ref, work, adapter: work.adapter, attempt, handle, createdAtMs, troubles };
  // An earlier try recorded the end and died before it was heard.
  const standing = standingOf(attempt);
  if (standing === 'rendered') return rendered(poll);
  const end = attempt.states.at(-1);
  if (end?.state === 'ended') return { outcome: 'ended', reason: endedReason(end), renderMs: renderMs(poll) };
  return poll;
}

/** What contradicts the ledger is not asked again: no answer would be taken. */
async function takeOrReview(poll: Poll, answer: Answer, askedAtMs: number): Promise<PollResult> {
  try {
    return await withRecords(() => take(poll, answer, askedAtMs));
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code === 'CONTENTION') throw error;
    poll.deps.log.error({ ...poll.ref, code: error.code }, 'what a poll said contradicts the ledger');
    return review(poll, 'ledger_contradiction');
  }
}

async function take(poll: Poll, answer: Answer, askedAtMs: number): Promise<PollResult> {
  const { deps, ref, work, adapter, createdAtMs } = poll;
  const reading: PollReading = adapter.readPoll(answer);
  const atMs = deps.now();
  switch (reading.reading) {
    case 'running':
      if (!reading.known) deps.log.warn({ ...ref, word: reading.word }, 'unknown status word: taken as running');
      if (reading.known) noteRunning(deps, ref, askedAtMs);
      warnIfLong(deps, ref, createdAtMs + renderMaxMs(deps, poll.input.row.kind) / poll.input.timeScale);
      beat(poll, NO_TROUBLES);
      throw again(poll, 'running');
    case 'unreadable': {
      const unreadable = poll.troubles.unreadable + 1;
      if (unreadable >= UNREADABLE_MAX) return review(poll, 'poll_unreadable');
      beat(poll, { ...NO_TROUBLES, unreadable });
      throw again(poll, 'unreadable');
    }
    case 'succeeded': {
      const { outputs, facts } = reading;
      await deps.ledger.append(ref, { state: 'rendered', atMs, outputs, facts });
      const released = await giveBack(deps, poll.input, { renderMs: renderMs(poll) });
      const claimedAtMs = poll.attempt.states[0]?.atMs ?? createdAtMs;
      await bookCharge(deps, work, ref, { claimedAtMs, createdAtMs, endedAtMs: atMs, facts });
      await deps.ledger.close(ref);
      return { ...rendered(poll), ...released };
    }
    case 'failed': {
      const { word, code, message } = reading;
      await deps.ledger.append(ref, { state: 'ended', atMs, word, message, ...(code === undefined ? {} : { code }) });
      const released = await giveBack(deps, poll.input, { renderMs: renderMs(poll) });
      await bookUnbilled(deps, work, ref, {
        claimedAtMs: poll.attempt.states[0]?.atMs ?? createdAtMs,
        createdAtMs,
        endedAtMs: atMs,
      });
      await deps.ledger.close(ref);
      return { outcome: 'ended', reason: endedReason(reading), renderMs: renderMs(poll), ...released };
    }
  }
}

/** The life of the URL counts from when the service was first heard to say that it is there. */
function rendered(poll: Poll): Extract<PollResult, { outcome: 'rendered' }> {
  const { urlLifeMs, freshUrlOnPoll } = poll.adapter;
  const known = poll.attempt.states.find((state) => state.state === 'rendered')?.atMs;
  const ageMs = known === undefined ? 0 : (poll.deps.now() - known) * poll.input.timeScale;
  return { outcome: 'rendered', renderMs: renderMs(poll), urlLeftMs: freshUrlOnPoll ? null : urlLifeMs - ageMs };
}

async function refused(poll: Poll, answer: Answer): Promise<PollResult> {
  const { status } = answer;
  const { deps, input } = poll;
  const code = readError(answer)?.code ?? String(status);
  if (status === 429) await noteLimits(deps);
  if (status === 429) throw failed(poll, '429', retryAfterMs(answer.retryAfter, deps.now()));
  if (status === 401) throw tryAgain('service.key-refused', '401', 15_000 / input.timeScale);
  // Polls are free and change nothing: what may pass is asked again.
  if (status < 400 || status >= 500) throw failed(poll, code);
  const count = (poll.troubles.refusals?.count ?? 0) + 1;
  const sinceMs = poll.troubles.refusals?.sinceMs ?? deps.now();
  const waitMs = afterRefusal(count, (deps.now() - sinceMs) * input.timeScale);
  const isUnknown = status === 404 || status === 409 || status === 410;
  const text = code === String(status) ? `HTTP ${status}` : `HTTP ${status} ${code}`;
  if (waitMs === null) return review(poll, isUnknown ? 'handle_not_found' : 'poll_refused', text);
  beat(poll, { ...NO_TROUBLES, refusals: { count, sinceMs } });
  throw tryAgain('service.unavailable', code, waitMs / input.timeScale);
}

/** No answer, or one that says nothing of the job: polls back off, wherever its end is expected. */
function failed(poll: Poll, code: string, waitMs = 0): Error {
  const times = poll.troubles.failed + 1;
  beat(poll, { ...NO_TROUBLES, failed: times });
  const gapMs = Math.max(gapOf(poll), backoffGapMs(times, poll.adapter.pollBaseMs));
  return tryAgain('service.unavailable', code, Math.max(waitMs, gapMs / poll.input.timeScale));
}

function beat(poll: Poll, troubles: Troubles): void {
  if (isDeepStrictEqual(poll.troubles, troubles)) return;
  Context.current().heartbeat(troubles);
}

function again(poll: Poll, code: string): Error {
  const type = code === 'running' ? 'job.running' : 'service.unavailable';
  return tryAgain(type, code, gapOf(poll) / poll.input.timeScale);
}

/** By the schedule, service time. */
function gapOf(poll: Poll): number {
  return pollGapMs({
    poll: Context.current().info.attempt,
    elapsedMs: elapsedMs(poll),
    baseMs: poll.adapter.pollBaseMs,
    expected: poll.input.expected,
  });
}

function review(poll: Poll, reason: ReasonCode, text?: string): PollResult {
  const longestMs = renderMaxMs(poll.deps, poll.input.row.kind) / poll.input.timeScale;
  const slotUntilMs = reason === 'handle_expired' ? poll.deps.now() : poll.createdAtMs + longestMs;
  return { outcome: 'review', reason, slotUntilMs, ...(text === undefined ? {} : { text }) };
}

/** Service time since the submit. */
function elapsedMs({ deps, createdAtMs, input }: Poll): number {
  return (deps.now() - createdAtMs) * input.timeScale;
}

function renderMs(poll: Poll): number {
  const endedAtMs = poll.attempt.states.find((s) => s.state === 'rendered' || s.state === 'ended')?.atMs;
  return endedAtMs === undefined ? elapsedMs(poll) : (endedAtMs - poll.createdAtMs) * poll.input.timeScale;
}
