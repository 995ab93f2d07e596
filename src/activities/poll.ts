import { Context } from '@temporalio/activity';
import type { PollInput, PollResult } from '../contract/activities.js';
import { type Attempt, type AttemptRef, acceptanceOf, handleOf, standingOf } from '../domain/attempt.js';
import { endedReason } from '../domain/ended-reason.js';
import type { Answer } from '../domain/exchange.js';
import type { ReasonCode } from '../domain/failure.js';
import { longestRenderMs } from '../domain/longest-render.js';
import { pollGapMs } from '../domain/poll-schedule.js';
import type { PollReading } from '../domain/reading.js';
import { readError } from '../service/errors.js';
import { retryAfterMs } from '../service/retry-after.js';
import type { AsyncAdapter } from '../vendors/adapter.js';
import { bookCharge, bookUnbilled } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { giveBack } from './give-back.js';
import { loadRow, type RowWork } from './row-work.js';
import { noteRunning, warnIfLong } from './running.js';
import { noteLimits } from './semaphore-notes.js';

/** Where no life of a handle is documented, unscaled ms. */
const HANDLE_LIFE_MS = 7 * 24 * 3_600_000;
/** A handle that is not found this often in a row needs a person (404, 409, 410 on a poll). */
const GONE_MAX = 3;
/** Answers that say "ended" without an output, or nothing at all, this often in a row need a person. */
const UNREADABLE_MAX = 20;

/** Kept from try to try in the activity's heartbeat. */
interface Troubles {
  gone: number;
  unreadable: number;
}

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
      if (exchange.outcome !== 'answered') throw again(poll, exchange.code);
      const { answer } = exchange;
      if (answer.status >= 200 && answer.status < 300) return withRecords(() => take(poll, answer, askedAtMs));
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
  const last = Context.current().info.heartbeatDetails as Troubles | undefined;
  const troubles = { gone: last?.gone ?? 0, unreadable: last?.unreadable ?? 0 };
  const poll = { deps, input, ref, work, adapter: work.adapter, attempt, handle, createdAtMs, troubles };
  // An earlier try recorded the end and died before it was heard.
  const standing = standingOf(attempt);
  if (standing === 'rendered' && !input.fresh) return rendered(poll);
  const end = attempt.states.at(-1);
  if (end?.state === 'ended') return { outcome: 'ended', reason: endedReason(end), renderMs: renderMs(poll) };
  return poll;
}

async function take(poll: Poll, answer: Answer, askedAtMs: number): Promise<PollResult> {
  const { deps, ref, work, adapter, createdAtMs } = poll;
  const reading: PollReading = adapter.readPoll(answer);
  const atMs = deps.now();
  switch (reading.reading) {
    case 'running':
      if (!reading.known) deps.log.warn({ ...ref, word: reading.word }, 'unknown status word: taken as running');
      if (reading.known) noteRunning(deps, ref, askedAtMs);
      warnIfLong(deps, ref, createdAtMs + longestMs(poll));
      beat(poll, { gone: 0, unreadable: 0 });
      throw again(poll, 'running');
    case 'unreadable':
      return troubled(poll, { gone: 0, unreadable: poll.troubles.unreadable + 1 }, 'unreadable');
    case 'succeeded': {
      const { outputs, facts } = reading;
      await deps.ledger.append(ref, { state: 'rendered', atMs, outputs, facts });
      const released = await giveBack(deps, poll.input, { renderMs: renderMs(poll) });
      const claimedAtMs = poll.attempt.states[0]?.atMs ?? createdAtMs;
      if (!poll.input.fresh) await bookCharge(deps, work, ref, { claimedAtMs, createdAtMs, endedAtMs: atMs, facts });
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
  if (status === 404 || status === 409 || status === 410) {
    return troubled(poll, { gone: poll.troubles.gone + 1, unreadable: 0 }, String(status));
  }
  const { timeScale } = poll.input;
  if (status === 429) await noteLimits(poll.deps);
  if (status === 429) throw again(poll, '429', retryAfterMs(answer.retryAfter, poll.deps.now()));
  if (status === 401) throw tryAgain('service.key-refused', '401', 15_000 / timeScale);
  // Polls are free and change nothing: anything else is asked again at the schedule's pace.
  throw again(poll, readError(answer)?.code ?? String(status));
}

function troubled(poll: Poll, troubles: Troubles, code: string): PollResult {
  if (troubles.gone >= GONE_MAX) return review(poll, 'handle_not_found');
  if (troubles.unreadable >= UNREADABLE_MAX) return review(poll, 'poll_unreadable');
  beat(poll, troubles);
  throw again(poll, code);
}

function beat(poll: Poll, troubles: Troubles): void {
  const { gone, unreadable } = poll.troubles;
  if (gone !== troubles.gone || unreadable !== troubles.unreadable) Context.current().heartbeat(troubles);
}

function again(poll: Poll, code: string, waitMs?: number): Error {
  const { input, adapter } = poll;
  const gap = pollGapMs({
    poll: Context.current().info.attempt,
    elapsedMs: elapsedMs(poll),
    baseMs: adapter.pollBaseMs,
    expected: input.expected,
  });
  return tryAgain(code === 'running' ? 'job.running' : 'service.unavailable', code, waitMs ?? gap / input.timeScale);
}

function review(poll: Poll, reason: ReasonCode): PollResult {
  const slotUntilMs = reason === 'handle_expired' ? poll.deps.now() : poll.createdAtMs + longestMs(poll);
  return { outcome: 'review', reason, slotUntilMs };
}

/** How long the job may run, ms of the clock. */
function longestMs({ deps, input, work }: Poll): number {
  return longestRenderMs(work.row, deps.settings.waits).ms / input.timeScale;
}

/** Service time since the submit. */
function elapsedMs({ deps, createdAtMs, input }: Poll): number {
  return (deps.now() - createdAtMs) * input.timeScale;
}

function renderMs(poll: Poll): number {
  const endedAtMs = poll.attempt.states.find((s) => s.state === 'rendered' || s.state === 'ended')?.atMs;
  return endedAtMs === undefined ? elapsedMs(poll) : (endedAtMs - poll.createdAtMs) * poll.input.timeScale;
}
