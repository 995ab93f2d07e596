import { ActivityFailure, sleep } from '@temporalio/workflow';
import type { PollResult } from '../contract/activities.js';
import { KINDS } from '../domain/kind.js';
import { pollBaseMs, pollGapMs } from '../domain/poll-schedule.js';
import type { Job, Step } from './job.js';
import { nextStep, retryOrFail } from './next-step.js';
import { downloadProxy, pollProxy } from './proxies.js';

/** Far beyond every handle's life, which the activity itself watches: a backstop, never the rule. */
const POLL_BACKSTOP_MS = 30 * 24 * 3_600_000;
/** How long a job may run on at the service when even its polling could not be carried on. */
const RENDER_MAX_MS = 3_600_000;
/** How often an expired output URL is asked for again. */
const FRESH_URLS_MAX = 2;

/** Polls until the service says terminal, then gives the slot back before anything else happens. */
export async function pollRow(work: Job): Promise<Step> {
  const { timeScale } = work.input;
  const expected = work.slot.expected();
  await sleep(pollGapMs({ poll: 0, elapsedMs: 0, baseMs: pollBaseOf(work.input.row.kind), expected }) / timeScale);
  const polled = await poll(work, false);
  if (polled.outcome !== 'review' && polled.released) work.slot.released();
  switch (polled.outcome) {
    case 'rendered':
      work.slot.release({ renderMs: polled.renderMs });
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
  const { download } = downloadProxy(account);
  for (let fresh = 0; ; fresh += 1) {
    const result = await download({ row, n: work.n });
    if (result.outcome === 'done') return { step: 'finish', status: 'done', recorded: true };
    if (result.outcome === 'rejected') return { step: 'finish', status: 'lost_paid', reason: result.reason };
    if (!result.canRefresh || fresh >= FRESH_URLS_MAX) {
      return { step: 'finish', status: 'lost_paid', reason: 'output_expired' };
    }
    await sleep(pollBaseOf(row.kind) / timeScale);
    const polled = await poll(work, true);
    if (polled.outcome === 'ended') return nextStep(work, 'ended');
    if (polled.outcome === 'review') return { step: 'finish', status: 'lost_paid', reason: 'output_expired' };
  }
}

async function poll(work: Job, fresh: boolean): Promise<PollResult> {
  const { account, row, timeScale } = work.input;
  try {
    return await pollProxy(account, POLL_BACKSTOP_MS).poll({
      row,
      n: work.n,
      grant: work.slot.grant(),
      fresh,
      expected: work.slot.expected(),
      timeScale,
    });
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
