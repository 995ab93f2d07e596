import { Context } from '@temporalio/activity';
import { bookEnd } from '../src/books/charges.js';
import type { PollInput, PollResult } from '../src/contract/attempts.js';
import type { Answer, PollReading } from '../src/domain/exchange.js';
import { endedReason } from '../src/domain/failure.js';
import { safeText } from '../src/domain/secret.js';
import { acceptanceOf, handleOf, intentOf, standingOf } from '../src/domain/standing.js';
import { endStateOf } from '../src/home/attempts.js';
import { lastWords } from '../src/home/last-words.js';
import { LedgerError } from '../src/home/ledger.js';
import { loadRow } from '../src/home/row-work.js';
import { readPolled } from '../src/kinds/readings.js';
import type { Dependencies } from './dependencies.js';
import { readTurn, tryAgain, withRecords } from './failures.js';
import { notAtOnce } from './files/save-at-once.js';
import { isOwnHome } from './row/home-marks.js';
import {
  again,
  beat,
  elapsedMs,
  failed,
  longestMs,
  NO_TROUBLES,
  type Poll,
  refused,
  review,
  type Troubles,
} from './row/poll-pace.js';
import { giveBack } from './row/semaphore-notes.js';

/** Where no life of a handle is documented, unscaled ms. */
const HANDLE_LIFE_MS = 7 * 24 * 3_600_000;
/** Answers that say "ended" without an output, so often and over so long of service time, need a person. */
const NO_OUTPUT_MAX = 20;
const NO_OUTPUT_FOR_MS = 10 * 60_000;
/** Well below the time after which the server gives up a poll, ms. */
const ANSWERED_WITHIN_MS = 10_000;
const ANSWER_SHOWN = 400;
/** So long until a home is looked at again that is not the one. */
const OTHER_HOME_MS = 15_000;

export interface PollActivities {
  /** One free request; fails with `job.running` and the next delay until the service says terminal. */
  poll(input: PollInput): Promise<PollResult>;
}

export function pollActivities(deps: Dependencies, saveAtOnce = notAtOnce): PollActivities {
  return {
    async poll(input) {
      const poll = await withRecords(() => openPoll(deps, input));
      if ('outcome' in poll) return poll;
      const lifeMs = (poll.adapter.handleLifeMs ?? HANDLE_LIFE_MS) / input.timeScale;
      if (deps.now() > poll.createdAtMs + lifeMs) return review(poll, 'handle_expired');
      const askedAtMs = deps.now();
      await readTurn(deps);
      const exchange = await deps.transport.send(poll.adapter.pollRequest(poll.handle, poll.work.row));
      if (exchange.outcome !== 'answered') throw failed(poll, exchange.code);
      const { answer } = exchange;
      if (answer.status < 200 || answer.status >= 300) return refused(poll, answer);
      const polled = await takeOrReview(poll, answer, askedAtMs);
      // Another try may be under way by now, and save it too.
      const isLate = deps.now() - askedAtMs > ANSWERED_WITHIN_MS;
      if (polled.outcome !== 'rendered' || isLate) return polled;
      // A slot that its job has yet to give back is not held until the output is there.
      if (input.grant !== null && polled.released !== true) return polled;
      const status = await saveAtOnce({ row: input.row, n: input.n });
      return status === undefined ? polled : { ...polled, outcome: 'saved', status };
    },
  };
}

async function openPoll(deps: Dependencies, input: PollInput): Promise<Poll | PollResult> {
  const ref = { batch: input.row.batch, id: input.row.id, n: input.n };
  const attempt = await deps.ledger.readAttempt(ref);
  const handle = attempt && handleOf(attempt);
  const work = await loadRow(deps, input.row, attempt && intentOf(attempt));
  // Another home in the place of the one that knows it: the right one may come back.
  if (!attempt && !(await isOwnHome(deps, ref.batch)))
    throw tryAgain('records.unavailable', 'another home', OTHER_HOME_MS);
  if (!attempt || handle === undefined || work.adapter.flow !== 'async') {
    // Its record said once that it was accepted: what is missing now is ours, not the service's.
    return { outcome: 'review', reason: 'record_damaged', slotUntilMs: deps.now() };
  }
  const createdAtMs = acceptanceOf(attempt)?.atMs ?? deps.now();
  const last = Context.current().info.heartbeatDetails as Partial<Troubles> | undefined;
  const troubles = { ...NO_TROUBLES, ...last };
  const claimedAtMs = attempt.states[0]?.atMs ?? createdAtMs;
  const expected = (await deps.renders.expected(work.row, claimedAtMs)) ?? input.expected;
  const times = { claimedAtMs, createdAtMs, expected };
  const poll = { deps, input, ref, work, adapter: work.adapter, attempt, handle, troubles, ...times };
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
  const reading: PollReading = readPolled(adapter, poll.handle, answer);
  const atMs = deps.now();
  switch (reading.reading) {
    case 'running':
      if (!reading.known) deps.log.warn({ ...ref, word: reading.word }, 'unknown status word: taken as running');
      if (reading.known) deps.books.running.note(ref, askedAtMs);
      deps.books.running.warnIfLong(ref, createdAtMs + longestMs(poll));
      beat(poll, NO_TROUBLES);
      throw again(poll, 'running');
    case 'unreadable': {
      // A maintenance page, or what a gateway made up: the poll has failed, not the job.
      if (!reading.hasEnded) throw failed(poll, 'unreadable');
      const { count, sinceMs } = poll.troubles.noOutput ?? { count: 0, sinceMs: atMs };
      const isLong = (atMs - sinceMs) * poll.input.timeScale >= NO_OUTPUT_FOR_MS;
      if (count + 1 >= NO_OUTPUT_MAX && isLong) {
        await lastWords.write(deps.home, { schema: 1, text: whatCame(reading.why, answer) }, ref);
        return review(poll, 'poll_unreadable');
      }
      // Refusals between such answers make them no fewer.
      beat(poll, { ...poll.troubles, failed: 0, noOutput: { count: count + 1, sinceMs } });
      throw again(poll, 'unreadable');
    }
    case 'succeeded':
    case 'failed': {
      const end = endStateOf(reading, atMs);
      await deps.ledger.append(ref, end);
      // A failure may come at any time, and says nothing of when a render ends.
      const teaches = end.state === 'rendered' ? { ranMs: ranMs(poll) } : {};
      const released = await giveBack(deps, poll.input, { renderMs: renderMs(poll), ...teaches });
      await bookEnd(deps.books, work.row, ref, end, { claimedAtMs: poll.claimedAtMs, createdAtMs });
      if (teaches.ranMs !== undefined) await deps.renders.note(work.row, [teaches.ranMs, renderMs(poll)]);
      if (end.state === 'rendered') return { ...rendered(poll), ...released };
      return { outcome: 'ended', reason: endedReason(end), renderMs: renderMs(poll), ...released };
    }
  }
}

/** Whoever decides about the row may find its output, or why there is none, in what the service said. */
function whatCame(why: string, { body }: Answer): string {
  const began = safeText(Buffer.from(body).subarray(0, 4_000).toString('utf8'), ANSWER_SHOWN);
  return began === '' ? why : `${why}; its answer began: ${began}`;
}

/** The life of the URL counts from when the service was first heard to say that it is there. */
function rendered(poll: Poll): Extract<PollResult, { outcome: 'rendered' }> {
  const { urlLifeMs, freshUrlOnPoll } = poll.adapter;
  const known = poll.attempt.states.find((state) => state.state === 'rendered')?.atMs;
  const ageMs = known === undefined ? 0 : (poll.deps.now() - known) * poll.input.timeScale;
  return { outcome: 'rendered', renderMs: renderMs(poll), urlLeftMs: freshUrlOnPoll ? null : urlLifeMs - ageMs };
}

function renderMs(poll: Poll): number {
  const endedAtMs = poll.attempt.states.find((s) => s.state === 'rendered' || s.state === 'ended')?.atMs;
  return endedAtMs === undefined ? elapsedMs(poll) : (endedAtMs - poll.createdAtMs) * poll.input.timeScale;
}

/** How long it is known to have run, as far as this process has asked. */
function ranMs({ deps, ref, createdAtMs, input }: Poll): number {
  const lastMs = deps.books.running.last(ref) ?? createdAtMs;
  return Math.max(0, lastMs - createdAtMs) * input.timeScale;
}
