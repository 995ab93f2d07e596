import type { Holder } from '../../contract/semaphore.js';
import type { Curb, SemaphoreView } from '../../contract/semaphore-view.js';
import { formatCredits } from '../../domain/money.js';
import type { Hint } from '../../domain/order-words.js';
import { takesSlot } from '../../kinds/facts.js';
import type { Snapshot } from '../batch/follow.js';
import { countsText, spentWords, totalOf } from './counts.js';
import { ETA_NOT_YET, etaOf, etaText, formatClock } from './durations.js';
import { troubles } from './troubles.js';

/** What the live view shows: lines made from a snapshot, without any terminal. Pure. */

export interface ViewOptions {
  batch: string;
  columns: number;
  /** Rows that were finished when this view began, for the rate. */
  finishedBefore: number;
  sinceMs: number;
  hint: Hint;
  /** How long of that it was seen paused. */
  pausedMs: number;
  paint: Paint;
}

interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

const BAR_MAX = 40;
/** A batch that was handed over has read its earlier rows by then, but for very large ones. */
const COUNTING_MAX_MS = 30_000;

export function liveLines(snapshot: Snapshot, options: ViewOptions): string[] {
  const { progress, slots } = snapshot;
  const { paint } = options;
  const width = Math.max(10, Math.min(BAR_MAX, options.columns - 40));
  const finished = totalOf(progress.counts);
  const percent = progress.rows === 0 ? 0 : Math.floor((100 * finished) / progress.rows);
  const isKnown = isCounted(snapshot, options);
  const phase = progress.phase === 'running' ? '' : paint.yellow(progress.phase);
  const rowLines = [
    `${paint.bold('rows')}   ${paint.green(bar(finished, progress.rows, width))} ${finished}/${progress.rows} ${percent} %  ${phase}`,
    `       ${countsText(progress.counts)}, ${openText(progress)}`,
  ];
  const lines = isKnown ? rowLines : [];
  if (slots !== undefined && isCapKnown(slots)) {
    const inSlots = slotHolders(slots.holders);
    const held = inSlots.length;
    lines.push(
      `${paint.bold('slots')}  ${paint.cyan(bar(held, slots.effectiveCap, Math.min(width, Math.max(slots.effectiveCap, held))))} ${held}/${slots.effectiveCap}  ${phasesText(inSlots)}${slots.waiting} waiting`,
    );
  }
  if (isKnown) {
    lines.push(`${paint.bold('spent')}  ${spentText(snapshot)}`);
    lines.push(...etaLines(snapshot, options).map((words) => `${paint.bold('ETA')}    ${paint.dim(words)}`));
  }
  lines.push(...troubles(snapshot, options.batch, options.hint).map((line) => paint.yellow(line)));
  return lines.map((line) => line.trimEnd());
}

/** False while a batch that was just handed over has not counted what had ended before: its numbers would be 0 of N. */
export function isCounted(
  { progress, atMs }: Pick<Snapshot, 'progress' | 'atMs'>,
  { finishedBefore, sinceMs }: Pick<ViewOptions, 'finishedBefore' | 'sinceMs'>,
): boolean {
  return totalOf(progress.counts) >= finishedBefore || atMs - sinceMs >= COUNTING_MAX_MS;
}

/** False until the account's plan was read first: its slots would be 0 of 0. */
function isCapKnown({ planCap }: SemaphoreView): boolean {
  return planCap > 0;
}

/** Jobs that have one of the plan's slots; a few kinds need none. */
function slotHolders(holders: readonly Holder[]): Holder[] {
  return holders.filter(({ kind }) => takesSlot(kind));
}

/** `2 submitting, 3 rendering, 1 held, `; a synchronous call is submitting until its output is there. */
function phasesText(holders: readonly Holder[]): string {
  return Object.entries({ granted: 'submitting', submitted: 'rendering', held: 'held' })
    .map(([phase, word]) => ({ word, count: holders.filter((one) => one.phase === phase).length }))
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

/** One line for logs and pipes; without numbers where they are not known, and undefined where nothing else is to be told. */
export function plainLine(
  snapshot: Snapshot,
  { batch, hint }: Pick<ViewOptions, 'batch' | 'hint'>,
  isKnown: boolean,
): string | undefined {
  const { progress, slots } = snapshot;
  const matters = troubles(snapshot, batch, hint);
  if (!isKnown && matters.length === 0) return undefined;
  const numbers = [
    `${totalOf(progress.counts)}/${progress.rows} rows (${countsText(progress.counts)})`,
    openText(progress),
    ...(slots === undefined || !isCapKnown(slots)
      ? []
      : [`${slotHolders(slots.holders).length}/${slots.effectiveCap} slots`]),
    spentText(snapshot),
  ];
  const parts = [...(isKnown ? numbers : []), ...matters];
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

function spentText({ progress, balanceNano }: Snapshot): string {
  const balance = balanceNano === undefined ? '' : `, balance ${formatCredits(balanceNano)}`;
  return `${spentWords(progress.creditsNano, progress.creditsUnknown)}${balance}`;
}

/** By the rows that ended while we looked; none while it is paused, which stands elsewhere, or at its end. */
function etaLines({ progress, slots, balanceNano, atMs }: Snapshot, options: ViewOptions): string[] {
  const { batch, finishedBefore, sinceMs, pausedMs } = options;
  const finished = totalOf(progress.counts);
  const { counts, creditsNano, creditsUnknown } = progress;
  const isPaused = progress.phase === 'paused';
  const open = progress.rows - finished;
  const eta = etaOf({
    ...{ batch, isPaused, slots, held: progress.held ?? 0, open },
    ...{ ended: finished - finishedBefore, elapsedMs: atMs - sinceMs - pausedMs, isMinuteFull: false },
    restNano: creditsUnknown > 0 || counts.done === 0 ? undefined : (creditsNano / counts.done) * open,
    leftNano: balanceNano,
  });
  if (eta === null) return isPaused ? [] : [ETA_NOT_YET];
  return eta.highSeconds === 0 ? [] : [etaText(eta)];
}
