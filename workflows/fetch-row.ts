import { ActivityFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { AttemptInput, DownloadResult, OutputTries, PollResult } from '../src/contract/attempts.js';
import type { Status } from '../src/domain/outcome.js';
import { type DownloadPriority, downloadPriority } from '../src/domain/output-tries.js';
import { pollGapMs } from '../src/domain/poll-schedule.js';
import { pollBaseMs } from '../src/kinds/facts.js';
import type { JobParts, JobState } from './job-steps.js';
import { downloadProxy, pollProxy } from './proxies.js';

/** Far beyond every handle's life, which the activity itself watches: a backstop, never the rule. */
const POLL_BACKSTOP_MS = 30 * 24 * 3_600_000;
/**
 * A fresh URL is asked for so long; after that the one that is known is tried again. Longer than the longest Retry-After
 * that is followed: one that did not fit would be asked again after the known URL's gap, too soon.
 */
const FRESH_POLL_MAX_MS = 2 * 3_600_000;

/** Polls until the service says terminal; the first time not before the documented gap has passed. */
export async function pollRow({ account, timeScale, slot, news }: JobParts, state: JobState): Promise<PollResult> {
  const { row, n, expected = slot.expected() } = state;
  const baseMs = pollBaseMs(row.kind);
  const firstPollMs = Date.now() + baseMs / timeScale;
  if (await news.within(n, pollGapMs({ poll: 0, elapsedMs: 0, baseMs, expected }) / timeScale)) {
    await sleep(Math.max(1, firstPollMs - Date.now()));
  }
  const { poll } = pollProxy(account, POLL_BACKSTOP_MS);
  for (;;) {
    const asked = () => poll({ row, n, grant: slot.grant(), expected, timeScale });
    const polled = await carryOn(() => news.interrupting(n, asked));
    if (polled !== undefined) return polled;
    // The poll before the callback may have been a moment ago: the documented gap lies between them for sure.
    await sleep(baseMs / timeScale);
  }
}

/** Downloads what was rendered. Never a new submit; what does not come in time is fetched on without the row. */
export async function downloadRow({ account, timeScale }: JobParts, state: JobState): Promise<Status> {
  const { row, n, urlLeftMs } = state;
  const priority = urlLeftMs === undefined ? undefined : downloadPriority(urlLeftMs);
  let before: OutputTries | undefined;
  for (;;) {
    const round = await fetchRound({ account, row, n, timeScale, priority, before });
    if (round.outcome === 'asked') before = round.tries;
    else return round.outcome === 'done' ? 'done' : round.status;
  }
}

/** One output that is fetched, by its row's job or after it. */
export interface OutputFetch extends AttemptInput {
  account: string;
  timeScale: number;
  priority?: DownloadPriority | undefined;
  before?: OutputTries | undefined;
  isLate?: true;
}

/** Tries until the output is there or the record says why not, or until the service was asked for a fresh URL. */
export async function fetchRound({
  account,
  row,
  n,
  timeScale,
  priority,
  before,
  isLate,
}: OutputFetch): Promise<Exclude<DownloadResult, { outcome: 'ask' }> | { outcome: 'asked'; tries: OutputTries }> {
  const made = { ...(before ? { before } : {}), ...(isLate ? { isLate } : {}) };
  const result = await downloadProxy(account, priority ?? (isLate ? 5 : undefined)).download({ row, n, ...made });
  if (result.outcome !== 'ask') return result;
  // The last poll may have been a moment ago: the documented gap lies between them for sure.
  await sleep(pollBaseMs(row.kind) / timeScale);
  let { asks = 0, isAnswered = false } = before ?? {};
  try {
    // What it says is in the ledger, where the next try reads it.
    if (await pollProxy(account, FRESH_POLL_MAX_MS).askFreshUrl({ row, n })) isAnswered = true;
  } catch (error) {
    // The service is away: the next try goes by the URL that is known.
    if (!(error instanceof ActivityFailure)) throw error;
  }
  asks += 1;
  const { tries, sinceMs } = result;
  return { outcome: 'asked', tries: { tries, sinceMs, asks, askedAtMs: Date.now(), isAnswered } };
}

/** Undefined when the time of a whole poll activity was over: the next one goes on, and knows the handle's life. */
async function carryOn(task: () => Promise<PollResult | undefined>): Promise<PollResult | undefined> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return undefined;
    throw error;
  }
}
