import { ActivityFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { AttemptInput, PollResult } from '../src/contract/activities.js';
import type { DownloadResult, OutputTries } from '../src/contract/outputs.js';
import { type DownloadPriority, downloadPriority } from '../src/domain/output-tries.js';
import { pollGapMs } from '../src/domain/poll-schedule.js';
import { KINDS, pollBaseMs } from '../src/kinds/facts.js';
import type { Job, Step } from './job-work.js';
import { retryOrFail } from './next-step.js';
import { downloadProxy, pollProxy, shareProxy } from './proxies.js';

/** Far beyond every handle's life, which the activity itself watches: a backstop, never the rule. */
const POLL_BACKSTOP_MS = 30 * 24 * 3_600_000;
/** A fresh URL is asked for so long; after that the one that is known is tried again. */
const FRESH_POLL_MAX_MS = 600_000;

/** Polls until the service says terminal, then gives the slot back before anything else happens. */
export async function pollRow(work: Job): Promise<Step> {
  const { timeScale } = work.input;
  const expected = work.slot.expected();
  const baseMs = pollBaseOf(work.input.row.kind);
  const firstPollMs = Date.now() + baseMs / timeScale;
  if (await work.news.within(work.n, pollGapMs({ poll: 0, elapsedMs: 0, baseMs, expected }) / timeScale)) {
    await sleep(Math.max(1, firstPollMs - Date.now()));
  }
  const polled = await poll(work);
  if (polled.outcome !== 'review' && polled.released) work.slot.released();
  switch (polled.outcome) {
    case 'rendered':
      work.slot.release({ renderMs: polled.renderMs });
      work.urlLeftMs = polled.urlLeftMs;
      return { step: 'download' };
    case 'saved':
      work.slot.release({ renderMs: polled.renderMs });
      return { step: 'finish', status: polled.status, recorded: true };
    case 'ended':
      work.slot.release({ renderMs: polled.renderMs });
      return retryOrFail(work, { step: 'finish', status: 'failed', reason: polled.reason });
    case 'review':
      work.slot.release({ notBeforeMs: polled.slotUntilMs });
      return { step: 'finish', status: 'review', reason: polled.reason, ...(polled.text ? { text: polled.text } : {}) };
  }
}

/** Downloads what was rendered. Never a new submit; what does not come in time is fetched on without the row. */
export async function downloadRow(work: Job): Promise<Step> {
  const { input, n, urlLeftMs } = work;
  const { account, row, timeScale } = input;
  const priority = urlLeftMs === undefined ? undefined : downloadPriority(urlLeftMs);
  let before: OutputTries | undefined;
  for (;;) {
    const round = await fetchRound({ account, row, n, timeScale, priority, before });
    if (round.outcome === 'asked') before = round.tries;
    else return { step: 'finish', status: round.outcome === 'done' ? 'done' : round.status, recorded: true };
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
  await sleep(pollBaseOf(row.kind) / timeScale);
  try {
    // What it says is in the ledger, where the next try reads it.
    await pollProxy(account, FRESH_POLL_MAX_MS).askFreshUrl({ row, n });
  } catch (error) {
    // The service is away: the next try goes by the URL that is known.
    if (!(error instanceof ActivityFailure)) throw error;
  }
  const { tries, sinceMs } = result;
  return { outcome: 'asked', tries: { tries, sinceMs, asks: (before?.asks ?? 0) + 1, askedAtMs: Date.now() } };
}

/** Takes over what another row rendered, or runs by itself where there is nothing to share. */
export async function shareRow(work: Job): Promise<Step> {
  const { account, row } = work.input;
  const { status } = await shareProxy(account).shareOutput({ row });
  return status === null ? { step: 'submit' } : { step: 'finish', status, recorded: true };
}

async function poll(work: Job): Promise<PollResult> {
  const { account, row, timeScale } = work.input;
  for (;;) {
    const polled = await carryOn(() =>
      work.news.interrupting(work.n, () =>
        pollProxy(account, POLL_BACKSTOP_MS).poll({
          row,
          n: work.n,
          grant: work.slot.grant(),
          expected: work.slot.expected(),
          timeScale,
        }),
      ),
    );
    if (polled !== undefined) return polled;
    // The poll before the callback may have been a moment ago: the documented gap lies between them for sure.
    await sleep(pollBaseOf(row.kind) / timeScale);
  }
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

/** The shortest documented gap between polls of a kind (by its number), ms. */
export function pollBaseOf(kindNumber: number): number {
  const kind = KINDS[kindNumber];
  return kind === undefined ? 10_000 : pollBaseMs(kind);
}
