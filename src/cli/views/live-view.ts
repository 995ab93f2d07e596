import type { Holder, PauseReason } from '../../contract/semaphore.js';
import type { Curb } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import { KINDS, takesSlot } from '../../domain/kind.js';
import { formatCredits } from '../../domain/money.js';
import type { Snapshot } from '../batch/follow.js';
import { blockedText } from './blocked.js';
import { countsText, spentWords, totalOf } from './counts.js';
import { formatClock, formatDuration } from './durations.js';

/** What the live view shows: lines made from a snapshot, without any terminal. Pure. */

export interface ViewOptions {
  batch: string;
  columns: number;
  /** Rows that were finished when this view began, for the rate. */
  finishedBefore: number;
  sinceMs: number;
  paint: Paint;
}

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

const BAR_MAX = 40;
const RATE_ROWS_MIN = 3;

export function liveLines(snapshot: Snapshot, options: ViewOptions): string[] {
  const { progress, slots } = snapshot;
  const { paint } = options;
  const width = Math.max(10, Math.min(BAR_MAX, options.columns - 40));
  const finished = totalOf(progress.counts);
  const percent = progress.rows === 0 ? 0 : Math.floor((100 * finished) / progress.rows);
  const lines = [
    `${paint.bold('rows')}   ${paint.green(bar(finished, progress.rows, width))} ${finished}/${progress.rows} ${percent} %  ${phaseText(snapshot, paint)}`,
    `       ${countsText(progress.counts)}, ${openText(progress)}`,
  ];
  if (slots !== undefined) {
    const inSlots = slotHolders(slots.holders);
    const held = inSlots.length;
    lines.push(
      `${paint.bold('slots')}  ${paint.cyan(bar(held, slots.effectiveCap, Math.min(width, Math.max(slots.effectiveCap, held))))} ${held}/${slots.effectiveCap}  ${phasesText(inSlots)}${slots.waiting} waiting`,
    );
  }
  lines.push(`${paint.bold('spent')}  ${spentText(snapshot)}  ${paint.dim(`ETA ${etaText(snapshot, options)}`)}`);
  lines.push(...troubles(snapshot).map((line) => paint.yellow(line)));
  return lines.map((line) => line.trimEnd());
}

/** Jobs that have one of the plan's slots; a few kinds need none. */
function slotHolders(holders: readonly Holder[]): Holder[] {
  return holders.filter(({ kind }) => {
    const known = KINDS[kind];
    return known === undefined || takesSlot(known);
  });
}

/** `2 submitting, 3 rendering, 1 held, `; a synchronous call is submitting until its output is there. */
function phasesText(holders: readonly Holder[]): string {
  const words = { granted: 'submitting', submitted: 'rendering', held: 'held' } as const;
  return (['granted', 'submitted', 'held'] as const)
    .map((phase) => ({ word: words[phase], count: holders.filter((h) => h.phase === phase).length }))
    .map(({ word, count }) => (count === 0 ? '' : `${count} ${word}, `))
    .join('');
}

/**
 * Jobs that may render at the service now, the safe side for what is said of money: every slot in use is being
 * submitted or rendering. A slot that is only kept after its row ended is no job of this batch any more.
 */
export function renderingOf(holders: readonly Holder[]): number {
  return holders.filter(({ phase }) => phase !== 'held').length;
}

/** One line for logs and pipes. */
export function plainLine(snapshot: Snapshot, batch: string): string {
  const { progress, slots } = snapshot;
  const parts = [
    `${totalOf(progress.counts)}/${progress.rows} rows (${countsText(progress.counts)})`,
    openText(progress),
    ...(slots === undefined ? [] : [`${slotHolders(slots.holders).length}/${slots.effectiveCap} slots`]),
    spentText(snapshot),
    ...troubles(snapshot),
  ];
  const phase = progress.phase === 'running' ? '' : ` ${progress.phase}:`;
  return `${formatClock(snapshot.atMs)} ${batch}:${phase} ${parts.join('; ')}`;
}

/** Whatever of this changes is worth a line of its own. */
export function stateOf({ progress, slots, lostSinceMs, lostWhy = '' }: Snapshot): string {
  const pauses = (slots?.pauses ?? []).map(({ reason }) => reason).sort();
  const curbs = (slots?.curbs ?? []).map((one) => curbName(one)).sort();
  return [progress.phase, lostSinceMs === undefined ? '' : `lost ${lostWhy}`, ...pauses, ...curbs].join(' ');
}

function curbName(curb: Curb): string {
  if (curb.curb === 'breaker') return curb.family;
  if (curb.curb === 'unread') return curb.what;
  return curb.curb === 'paced' ? `paced ${curb.route ?? ''}` : curb.curb;
}

export function bar(part: number, whole: number, width: number): string {
  const filled = whole <= 0 ? 0 : Math.min(width, Math.floor((width * part) / whole));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

function openText({ open, held = 0 }: Snapshot['progress']): string {
  return `${open} under way${held === 0 ? '' : `, ${held} held for rows that feed them`}`;
}

function phaseText({ progress }: Snapshot, paint: Paint): string {
  return progress.phase === 'running' ? '' : paint.yellow(progress.phase);
}

function spentText({ progress, balanceNano }: Snapshot): string {
  const balance = balanceNano === undefined ? '' : `, balance ${formatCredits(balanceNano)}`;
  return `${spentWords(progress.creditsNano, progress.creditsUnknown)}${balance}`;
}

/** From the rows that finished while we looked; unknown before there are some. */
function etaText({ progress, atMs }: Snapshot, { finishedBefore, sinceMs }: ViewOptions): string {
  const finished = totalOf(progress.counts);
  const here = finished - finishedBefore;
  const left = progress.rows - finished;
  if (left <= 0) return formatDuration(0);
  if (here < RATE_ROWS_MIN || progress.phase === 'paused') return 'unknown yet';
  return formatDuration(((atMs - sinceMs) / here) * left);
}

const PAUSE_WORDS = {
  credits: 'the service says that the credits do not suffice: add some, and it goes on once the balance rises',
  records: 'the home cannot be written: nothing new is submitted',
  network: 'the service cannot be reached: nothing new is submitted until a free read gets an answer',
} as const;

function pauseWords({ reason, batch }: Pick<PauseReason, 'reason' | 'batch'>, progress: BatchProgress): string {
  if (reason === 'outputs') return blockedText(progress.blocked);
  if (reason === 'key') return refusedKeyText(batch);
  return reason === 'user' ? pausedText(batch) : PAUSE_WORDS[reason];
}

/** The same key is never used again by itself: whoever had it unblocked says so. */
function refusedKeyText(batch = 'BATCH'): string {
  return `the service does not accept the API key: have it unblocked there or set another one, then \`callsheet resume ${batch}\` goes on`;
}

export function pausedText(batch = 'BATCH'): string {
  return `paused: \`callsheet resume ${batch}\` goes on`;
}

/** What keeps the batch from going on, each with its reason and since when. */
export function troubles({ progress, slots, lostSinceMs, lostWhy, atMs }: Omit<Snapshot, 'balanceNano'>): string[] {
  const lines = (slots?.pauses ?? []).map((pause) => {
    const need = pause.needNano === undefined ? '' : ` (needs ${formatCredits(pause.needNano)})`;
    return `${pauseWords(pause, progress)}${need}, since ${formatClock(pause.sinceMs)}`;
  });
  lines.push(...(slots?.curbs ?? []).map((curb) => curbText(curb, slots?.planCap ?? 0)));
  if (lostSinceMs !== undefined) {
    const lostMs = atMs - lostSinceMs;
    const howLong = lostMs < 1_000 ? '' : ` for ${formatDuration(lostMs)}`;
    lines.push(
      `no answer from Temporal or the worker${howLong}, trying again${lostWhy === undefined ? '' : `: ${lostWhy}`}`,
    );
  }
  return lines;
}

const PACE_WORDS = {
  network: 'the service cannot be reached',
  rpm: 'the requests per minute are used up',
  gateway: 'a gateway before the service has too many requests',
  provider: 'the provider cannot be reached',
} as const;

function curbText(curb: Curb, planCap: number): string {
  switch (curb.curb) {
    case 'quiet':
      return `quiet until ${formatClock(curb.untilMs)}: nothing new, so that the balance shows what became of a lost answer`;
    case 'breaker': {
      const why = curb.cause === 'cases' ? 'its answers get lost' : 'it cannot be reached';
      return `${curb.family}: ${why}; one row at a time tries it, next at ${formatClock(curb.nextProbeMs)}`;
    }
    case 'paced':
      return `${PACE_WORDS[curb.cause]}: ${curb.route ?? 'the account'} submits nothing until ${formatClock(curb.untilMs)}, then one row tries`;
    case 'unread': {
      const what = curb.what === 'credits' ? 'balance and caps' : 'discounts';
      return `the account's ${what} cannot be read since ${formatClock(curb.sinceMs)}: taken as they were, tried again`;
    }
    case 'foreign':
      return `someone else seems to run jobs on this account: fewer than its ${planCap} at once, climbing again`;
  }
}
