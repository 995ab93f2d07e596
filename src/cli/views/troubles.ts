import type { PauseReason } from '../../contract/semaphore.js';
import type { Curb, SemaphoreView } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import { formatDuration } from '../../domain/duration.js';
import type { Kind, Provider } from '../../domain/kind.js';
import { formatCredits } from '../../domain/money.js';
import { type Hint, orderWords } from '../../domain/order-words.js';
import type { LiveWord } from '../../domain/outcome.js';
import { wantedOfCommand } from '../../store/s3-errors.js';
import { storeTrouble } from '../../store/store-trouble.js';
import { plain } from '../terminal.js';
import { amount } from './counts.js';
import { formatClock } from './durations.js';

/** What keeps a batch from going on, in sentences. Pure. */

/** A batch at one instant; undefined parts are not known now. */
export interface Sight {
  atMs: number;
  progress: BatchProgress;
  slots: SemaphoreView | undefined;
  /** Since when nothing answers; undefined while all is well. */
  lostSinceMs: number | undefined;
  /** What gives no answer. */
  lostPlace: keyof typeof LOST_PLACES;
  /** What this machine knows of the reason: a full disk, or what the store of the home said. */
  lostWhy: string | undefined;
}

export const LOST_PLACES = { work: 'Temporal or the worker', home: 'the home' } as const;

/** What keeps the batch from going on, each with its reason and since when. */
export function troubles(
  { progress, slots, lostSinceMs, lostPlace, lostWhy, atMs }: Sight,
  batch: string,
  hint: Hint,
): string[] {
  const resume = hint(orderWords('resume', batch));
  const lines = (slots?.pauses ?? []).map((pause) => pauseWords(pause, progress, resume));
  lines.push(...(slots?.curbs ?? []).map((curb) => curbText(curb, slots?.planCap ?? 0, atMs)));
  if (lostSinceMs !== undefined) {
    const lostMs = atMs - lostSinceMs;
    const howLong = lostMs < 1_000 ? '' : ` for ${formatDuration(lostMs)}`;
    lines.push(
      `no answer from ${LOST_PLACES[lostPlace]}${howLong}, trying again${lostWhy === undefined ? '' : `: ${lostWhy}`}`,
    );
  }
  return lines;
}

/** What is the matter, and what to do or what happens meanwhile. */
const PAUSE_WORDS = {
  records: ['the home cannot be written', 'nothing new is submitted until it can'],
  network: ['the service cannot be reached', 'nothing new is submitted until a free read gets an answer'],
} as const;

function pauseWords(pause: PauseReason, progress: BatchProgress, resume: string): string {
  const { reason, sinceMs } = pause;
  const since = `since ${formatClock(sinceMs)}`;
  if (reason === 'outputs') return `${blockedText(progress.blocked, resume)} (${since})`;
  if (reason === 'user') return pausedText(resume, ` (${since})`);
  if (reason === 'key') return refusedKeyText(resume, since);
  if (reason === 'credits') return noCreditsText(pause);
  const [matter, next] = PAUSE_WORDS[reason];
  return `${matter} (${since}): ${next}`;
}

export function noCreditsText({ needNano, sinceMs }: PauseReason): string {
  const need = needNano === undefined ? '' : `${formatCredits(needNano)} are needed, `;
  return `the service says that the credits do not suffice (${need}since ${formatClock(sinceMs)}): add some, and it goes on once the balance rises`;
}

/** The same key is never used again by itself: whoever had it unblocked says so. */
function refusedKeyText(resume: string, since: string): string {
  return `the service does not accept the API key (${since}): have it unblocked there or set another one, then \`${resume}\` goes on`;
}

function pausedText(resume: string, since = ''): string {
  return `paused${since}: \`${resume}\` goes on`;
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

interface StandstillFacts {
  batch: string;
  hint: Hint;
  progress: BatchProgress;
  slots: SemaphoreView | undefined;
  live: Partial<Record<LiveWord, number>>;
  atMs: number;
}

/** Everything that keeps a batch from going on, in sentences, for whoever looks once. Pure. */
export function standstillTexts({ batch, hint, progress, slots, live, atMs }: StandstillFacts): string[] {
  const view = ownPauses(slots, batch);
  const pauses = view?.pauses ?? [];
  const lost = { lostSinceMs: undefined, lostPlace: 'work', lostWhy: undefined } as const;
  const texts = troubles({ atMs, progress, slots: view, ...lost }, batch, hint);
  const isOutputTold = pauses.some(({ reason }) => reason === 'outputs');
  const resume = hint(orderWords('resume', batch));
  if (progress.blocked !== null && !isOutputTold) texts.unshift(blockedText(progress.blocked, resume));
  const isPauseTold = pauses.some(({ reason }) => reason === 'user' || reason === 'outputs');
  if (progress.phase === 'paused' && !isPauseTold) texts.unshift(pausedText(resume));
  const { checking = 0 } = live;
  if (checking > 0) {
    texts.push(
      `${amount(checking, 'row waits', 'rows wait')} for the verdict on a lost answer: \`${hint(orderWords('review list', batch))}\``,
    );
  }
  return texts;
}

/** What keeps grants back: a pause of the account, the quiet of a lost answer, a family's breaker, a route's pace. */
export interface Standstill {
  reason: PauseReason['reason'] | Exclude<Curb['curb'], 'foreign' | 'unread'>;
  family?: Provider;
  /** The kind whose address turns submits away; absent where the whole account is paced. */
  route?: Kind;
}

/** All of them with their start; a quiet's is not told, so that it is now. Pure. */
export function standstillsOf({ pauses, curbs }: SemaphoreView, nowMs: number): (Standstill & { sinceMs: number })[] {
  const found: (Standstill & { sinceMs: number })[] = [];
  for (const { reason, sinceMs } of pauses) if (reason !== 'user') found.push({ reason, sinceMs });
  for (const curb of curbs) {
    if (curb.curb === 'quiet') found.push({ reason: curb.curb, sinceMs: nowMs });
    if (curb.curb === 'breaker') found.push({ reason: curb.curb, family: curb.family, sinceMs: curb.sinceMs });
    if (curb.curb === 'paced') {
      const { route, sinceMs } = curb;
      found.push({ reason: curb.curb, sinceMs, ...(route === null ? {} : { route }) });
    }
  }
  return found;
}

/** The pauses that keep this batch: those of the account and its own, each with its name for the sentence. */
export function ownPauses(slots: SemaphoreView | undefined, batch: string): SemaphoreView | undefined {
  if (slots === undefined) return undefined;
  const pauses = slots.pauses.filter((pause) => pause.batch === undefined || pause.batch === batch);
  return { ...slots, pauses: pauses.map((pause) => ({ ...pause, batch })) };
}

/** Says what finished work cannot be stored, why, and what to do. */
export function blockedText(blocked: BatchProgress['blocked'], resume: string): string {
  if (blocked === null) return 'finished files could not be stored';
  const { id, code, count } = blocked;
  const what = id === null ? 'the results of the batch' : `the output of row ${plain(id, 120)}`;
  const more = count > 1 ? ` and of ${count - 1} more` : '';
  return `${what}${more} cannot be stored: ${storeTrouble(code)}; ${mendText(blocked, resume)}, nothing paid is lost`;
}

/** The worker keeps what it was handed: what is wrong with that a command has to bring anew. */
function mendText({ code, file }: NonNullable<BatchProgress['blocked']>, resume: string): string {
  const taken = file === undefined ? 'the file that has it' : plain(file, 400);
  switch (wantedOfCommand(code)) {
    case 'credentials':
      return `\`${resume}\` with credentials that hold in its environment goes on (on a shared Temporal: its workers need them)`;
    case 'settings':
      return 'the same `run` with that goes on';
    case undefined:
      return `${code === 'EEXIST' ? `move ${taken} away` : 'mend that'} and it goes on by itself`;
  }
}
