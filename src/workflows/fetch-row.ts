import { ActivityFailure, sleep } from '@temporalio/workflow';
import type { DownloadTried, PollResult } from '../contract/activities.js';
import { downloadPriority } from '../domain/download-order.js';
import { KINDS } from '../domain/kind.js';
import { pollBaseMs, pollGapMs } from '../domain/poll-schedule.js';
import type { Job, Step } from './job-work.js';
import { nextStep, retryOrFail } from './next-step.js';
import { downloadProxy, pollProxy } from './proxies.js';

/** Far beyond every handle's life, which the activity itself watches: a backstop, never the rule. */
const POLL_BACKSTOP_MS = 30 * 24 * 3_600_000;
/** How long a job may run on at the service when even its polling could not be carried on. */
const RENDER_MAX_MS = 3_600_000;
/** The longest pause before an expired output URL is asked for once more. */
const FRESH_URL_PAUSE_MAX_MS = 600_000;

/** Polls until the service says terminal, then gives the slot back before anything else happens. */
export async function pollRow(work: Job): Promise<Step> {
  const { timeScale } = work.input;
  const expected = work.slot.expected();
  const baseMs = pollBaseOf(work.input.row.kind);
  const firstPollMs = Date.now() + baseMs / timeScale;
  if (await work.news.within(work.n, pollGapMs({ poll: 0, elapsedMs: 0, baseMs, expected }) / timeScale)) {
    await sleep(Math.max(1, firstPollMs - Date.now()));
  }
  const polled = await poll(work, false);
  if (polled.outcome !== 'review' && polled.released) work.slot.released();
  switch (polled.outcome) {
    case 'rendered':
      work.slot.release({ renderMs: polled.renderMs });
      work.urlLeftMs = polled.urlLeftMs;
      return { step: 'download' };
    case 'ended':
      work.slot.release({ renderMs: polled.renderMs });
      return retryOrFail(work, { step: 'finish', status: 'failed', reason: polled.reason });
    case 'review':
      work.slot.release({ notBeforeMs: polled.slotUntilMs });
      return { step: 'finish', status: 'review', reason: polled.reason };
  }
}

/** Downloads what was rendered; an expired URL is asked for again while the handle lives. Never a new submit. */
export async function downloadRow(work: Job): Promise<Step> {
  const { account, row, timeScale } = work.input;
  const priority = work.urlLeftMs === undefined ? undefined : downloadPriority(work.urlLeftMs);
  const { download } = downloadProxy(account, priority);
  const all = { tries: 0, sinceMs: Date.now(), freshUrls: 0 };
  for (;;) {
    const result = await download({ row, n: work.n });
    if (result.outcome === 'done') return { step: 'finish', status: 'done', recorded: true };
    if (result.outcome === 'rejected') {
      return { step: 'finish', status: 'lost_paid', reason: result.reason, recorded: true };
    }
    all.tries += result.tried.tries;
    if (all.freshUrls >= result.freshUrls) return lost(result.tried, all);
    const pauseMs = pollBaseOf(row.kind) * 2 ** all.freshUrls;
    await sleep(Math.min(FRESH_URL_PAUSE_MAX_MS, pauseMs) / timeScale);
    all.freshUrls += 1;
    const polled = await poll(work, true);
    if (polled.outcome === 'ended') return nextStep(work, 'ended');
    if (polled.outcome === 'review') return lost(result.tried, all);
  }
}

/** Takes over what another row rendered, or runs by itself where there is nothing to share. */
export async function shareRow(work: Job): Promise<Step> {
  const { account, row } = work.input;
  const { status } = await downloadProxy(account).shareOutput({ row });
  return status === null ? { step: 'submit' } : { step: 'finish', status, recorded: true };
}

function lost(last: DownloadTried, all: { tries: number; sinceMs: number; freshUrls: number }): Step {
  return { step: 'finish', status: 'lost_paid', reason: 'output_expired', tried: { ...last, ...all } };
}

async function poll(work: Job, fresh: boolean): Promise<PollResult> {
  const { account, row, timeScale } = work.input;
  try {
    for (;;) {
      const polled = await work.news.interrupting(work.n, () =>
        pollProxy(account, POLL_BACKSTOP_MS).poll({
          row,
          n: work.n,
          grant: work.slot.grant(),
          fresh,
          expected: work.slot.expected(),
          timeScale,
        }),
      );
      if (polled !== undefined) return polled;
      // The poll before the callback may have been a moment ago: the documented gap lies between them for sure.
      await sleep(pollBaseOf(row.kind) / timeScale);
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { outcome: 'review', reason: 'poll_unreadable', slotUntilMs: Date.now() + RENDER_MAX_MS / timeScale };
  }
}

/** The shortest documented gap between polls of a kind (by its number), ms. */
export function pollBaseOf(kindNumber: number): number {
  const kind = KINDS[kindNumber];
  return kind === undefined ? 10_000 : pollBaseMs(kind);
}
