import type { PauseReason } from '../../contract/semaphore.js';
import type { Curb } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import { formatCredits } from '../../domain/money.js';
import type { Snapshot } from '../batch/follow.js';
import { blockedText } from './blocked.js';
import { formatClock, formatDuration } from './durations.js';

/** What keeps a batch from going on, in sentences. Pure. */

/** What keeps the batch from going on, each with its reason and since when. */
export function troubles({ progress, slots, lostSinceMs, lostWhy, atMs }: Omit<Snapshot, 'balanceNano'>): string[] {
  const lines = (slots?.pauses ?? []).map((pause) => pauseWords(pause, progress));
  lines.push(...(slots?.curbs ?? []).map((curb) => curbText(curb, slots?.planCap ?? 0, atMs)));
  if (lostSinceMs !== undefined) {
    const lostMs = atMs - lostSinceMs;
    const howLong = lostMs < 1_000 ? '' : ` for ${formatDuration(lostMs)}`;
    lines.push(
      `no answer from Temporal or the worker${howLong}, trying again${lostWhy === undefined ? '' : `: ${lostWhy}`}`,
    );
  }
  return lines;
}

/** What is the matter, and what to do or what happens meanwhile. */
const PAUSE_WORDS = {
  credits: ['the service says that the credits do not suffice', 'add some, and it goes on once the balance rises'],
  records: ['the home cannot be written', 'nothing new is submitted until it can'],
  network: ['the service cannot be reached', 'nothing new is submitted until a free read gets an answer'],
} as const;

function pauseWords({ reason, batch, needNano, sinceMs }: PauseReason, progress: BatchProgress): string {
  const since = `since ${formatClock(sinceMs)}`;
  if (reason === 'outputs') return `${blockedText(progress.blocked)} (${since})`;
  if (reason === 'user') return pausedText(batch, ` (${since})`);
  if (reason === 'key') return refusedKeyText(batch, since);
  const [matter, next] = PAUSE_WORDS[reason];
  const need = needNano === undefined ? '' : `${formatCredits(needNano)} are needed, `;
  return `${matter} (${need}${since}): ${next}`;
}

/** The same key is never used again by itself: whoever had it unblocked says so. */
function refusedKeyText(batch: string | undefined, since: string): string {
  return `the service does not accept the API key (${since}): have it unblocked there or set another one, then \`callsheet resume ${batch ?? 'BATCH'}\` goes on`;
}

export function pausedText(batch = 'BATCH', since = ''): string {
  return `paused${since}: \`callsheet resume ${batch}\` goes on`;
}

const PACE_WORDS = {
  network: 'the service cannot be reached',
  rpm: 'the requests per minute are used up',
  gateway: 'a gateway before the service has too many requests',
  provider: 'the provider cannot be reached',
} as const;

/** What the semaphore says of a time may be older than it: a time that has passed is not named. */
function curbText(curb: Curb, planCap: number, nowMs: number): string {
  switch (curb.curb) {
    case 'quiet':
      return `quiet${curb.untilMs > nowMs ? ` until ${formatClock(curb.untilMs)}` : ''}: nothing new is submitted, so that the balance shows what became of a lost answer`;
    case 'breaker': {
      const why = curb.cause === 'cases' ? 'its answers get lost' : 'it cannot be reached';
      return `${curb.family}: ${why}; one row at a time tries it, next ${curb.nextProbeMs > nowMs ? `at ${formatClock(curb.nextProbeMs)}` : 'now'}`;
    }
    case 'paced': {
      const who = curb.route ?? 'the account';
      const next =
        curb.untilMs > nowMs
          ? `${who} submits nothing until ${formatClock(curb.untilMs)}, then one row tries`
          : `one row of ${who} tries now`;
      return `${PACE_WORDS[curb.cause]}: ${next}`;
    }
    case 'unread': {
      const what = curb.what === 'credits' ? 'balance and caps' : 'discounts';
      return `reading the account's ${what} has failed since ${formatClock(curb.sinceMs)}: the last known ones are used, and it is tried again`;
    }
    case 'foreign':
      return `someone else seems to run jobs on this account: fewer than its ${planCap} run at once here, and one more is tried from time to time`;
  }
}
