import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import type { PollInput, PollResult } from '../../src/contract/attempts.js';
import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import { type Answer, speaksOfHost } from '../../src/domain/exchange.js';
import type { ReasonCode } from '../../src/domain/failure.js';
import { afterRefusal, backoffGapMs, pollGapMs, type Refusals } from '../../src/domain/poll-schedule.js';
import type { RenderTimes } from '../../src/domain/render-times.js';
import type { RowWork } from '../../src/home/row-work.js';
import type { AsyncAdapter } from '../../src/kinds/adapter.js';
import { longestRenderMs } from '../../src/kinds/expected.js';
import { readError } from '../../src/service/errors.js';
import type { Dependencies } from '../dependencies.js';
import { askedWaitMs, tryAgain } from '../failures.js';
import { noteLimits } from './semaphore-notes.js';

/** When a job is asked after again, and when a person must look. */

/** Kept from try to try in the activity's heartbeat. */
export interface Troubles {
  refusals: Refusals | null;
  /** Answers that say "ended" without an output, since one that said how the job stands. */
  noOutput: Refusals | null;
  /** Polls in a row that brought no answer, or one that says nothing of the job. */
  failed: number;
}

export const NO_TROUBLES: Troubles = { refusals: null, noOutput: null, failed: 0 };

/** What the poll of one attempt works with. */
export interface Poll {
  deps: Dependencies;
  input: PollInput;
  ref: AttemptRef;
  work: RowWork;
  adapter: AsyncAdapter;
  attempt: Attempt;
  handle: string;
  claimedAtMs: number;
  createdAtMs: number;
  expected: RenderTimes | null;
  troubles: Troubles;
}

export async function refused(poll: Poll, answer: Answer): Promise<PollResult> {
  const { status } = answer;
  const { deps, input } = poll;
  const error = readError(answer);
  const code = error?.code ?? String(status);
  if (status === 429) await noteLimits(deps);
  if (status === 429) throw failed(poll, '429', askedWaitMs(deps, answer.retryAfter));
  if (status === 401) throw tryAgain('service.key-refused', '401', 15_000 / input.timeScale);
  // Polls are free and change nothing: what may pass is asked again, as a 402 does once credits are added.
  const isPassing = status < 400 || status === 402 || speaksOfHost(status);
  // "Do not retry in a loop" (service document 2, Errors): a route that is closed to the account keeps no slot for a week.
  const isClosed = error !== undefined && poll.adapter.readRefusal(status, error) === 'disabled';
  if (isPassing && !isClosed) throw failed(poll, code);
  const count = (poll.troubles.refusals?.count ?? 0) + 1;
  const sinceMs = poll.troubles.refusals?.sinceMs ?? deps.now();
  const waitMs = afterRefusal(count, (deps.now() - sinceMs) * input.timeScale);
  const isUnknown = status === 404 || status === 409 || status === 410;
  const text = code === String(status) ? `HTTP ${status}` : `HTTP ${status} ${code}`;
  if (waitMs === null) return review(poll, isUnknown ? 'handle_not_found' : 'poll_refused', text);
  beat(poll, { ...poll.troubles, failed: 0, refusals: { count, sinceMs } });
  throw tryAgain('service.unavailable', code, waitMs / input.timeScale);
}

/** No answer, or one that says nothing of the job: polls back off, wherever its end is expected. */
export function failed(poll: Poll, code: string, waitMs = 0): Error {
  const times = poll.troubles.failed + 1;
  beat(poll, { ...poll.troubles, failed: times });
  const gapMs = Math.max(gapOf(poll), backoffGapMs(times, poll.adapter.pollBaseMs));
  return tryAgain('service.unavailable', code, Math.max(waitMs, gapMs / poll.input.timeScale));
}

export function beat(poll: Poll, troubles: Troubles): void {
  if (isDeepStrictEqual(poll.troubles, troubles)) return;
  Context.current().heartbeat(troubles);
}

export function again(poll: Poll, code: string): Error {
  const type = code === 'running' ? 'job.running' : 'service.unavailable';
  return tryAgain(type, code, gapOf(poll) / poll.input.timeScale);
}

/** By the schedule, service time. */
function gapOf(poll: Poll): number {
  return pollGapMs({
    poll: Context.current().info.attempt,
    elapsedMs: elapsedMs(poll),
    baseMs: poll.adapter.pollBaseMs,
    expected: poll.expected,
  });
}

export function review(poll: Poll, reason: ReasonCode, text?: string): PollResult {
  const slotUntilMs = reason === 'handle_expired' ? poll.deps.now() : poll.createdAtMs + longestMs(poll);
  return { outcome: 'review', reason, slotUntilMs, ...(text === undefined ? {} : { text }) };
}

/** How long the job may run, ms of the clock. */
export function longestMs({ deps, input, work }: Poll): number {
  return longestRenderMs(work.row, deps.settings.waits).ms / input.timeScale;
}

/** Service time since the submit. */
export function elapsedMs({ deps, createdAtMs, input }: Poll): number {
  return Math.max(0, deps.now() - createdAtMs) * input.timeScale;
}
