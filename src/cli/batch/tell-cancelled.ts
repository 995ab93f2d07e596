import { commandHint, orderWords } from '../open-session.js';
import type { Session } from '../session.js';
import { amount, type Counts, countsText } from '../views/counts.js';
import { formatClock } from '../views/durations.js';
import type { KnownBatch } from './known-batch.js';

/** What a batch was left with when it was cancelled. */
export interface Cancelled {
  /** Null where the rows could not be counted in time. */
  counts: Counts | null;
  left: Left;
  /** Why the ledger had to count what is left; absent where the batch's workflow did. */
  uncounted?: Uncounted;
  /** No row of it is open: there is nothing to go on with. */
  isOver?: boolean;
}

/** What the service accepted before. */
export interface Left {
  /** Null where nobody could count them. */
  stillRunning: number | null;
  /** The latest time at which the last of them has ended by the longest render. */
  untilMs: number | undefined;
}

/** Its worker does not answer; nothing runs the batch; Temporal does not answer. */
export type Uncounted = 'silent' | 'not running' | 'unheard';

export function tellCancelled({ session, batch, out }: KnownBatch, cancelled: Cancelled): void {
  const { terminal } = session;
  const { left, counts } = cancelled;
  if (counts === null) {
    const look = commandHint(session, orderWords('status', batch));
    terminal.warn(`the order has taken effect; its rows could not be counted in time: \`${look}\` shows them`);
  }
  if (session.isJson) {
    const { stillRunning, untilMs } = left;
    const until = untilMs === undefined ? null : new Date(untilMs).toISOString();
    terminal.json({ schema: 1, batch, counts, stillRunning, until, out: `${out}/${batch}` });
    return;
  }
  const counted = counts === null ? '' : ` (${countsText(counts)})`;
  terminal.data(`'${batch}' is cancelled: nothing new is submitted${counted}`);
  for (const line of restLines(session, batch, cancelled)) terminal.data(line);
}

function restLines(session: Session, batch: string, { left, uncounted, isOver }: Cancelled): string[] {
  if (uncounted === undefined) return leftLines(session, batch, left);
  if (uncounted === 'not running' && isOver) return ['it does not run now, and nothing of it is left at the service'];
  return [uncountedLine(session, batch, left, uncounted)];
}

function leftLines(session: Session, batch: string, { stillRunning, untilMs }: Left): string[] {
  if (stillRunning === 0) return ['nothing of it runs at the service any more'];
  const until = untilText(untilMs);
  return [
    stillRunning === 1
      ? `1 job was accepted by the service before: it renders on${until}, is billed, and is fetched`
      : `${stillRunning} jobs were accepted by the service before: they render on${until}, are billed, and are fetched`,
    `watch: ${commandHint(session, orderWords('watch', batch))}`,
  ];
}

function uncountedLine(session: Session, batch: string, { stillRunning, untilMs }: Left, why: Uncounted): string {
  const jobs = stillRunning ? ` (${amount(stillRunning, 'job')}${untilText(untilMs)})` : '';
  const before = `what the service accepted before${jobs}`;
  switch (why) {
    case 'silent': {
      const look = commandHint(session, orderWords('status', batch));
      return `the worker does not answer: ${before} renders on and is billed; \`${look}\` counts it`;
    }
    case 'unheard':
      return `${before} renders on, is billed, and is fetched once Temporal answers`;
    case 'not running': {
      const resume = commandHint(session, 'resume --all');
      const renders = stillRunning ? ' may still render, is billed, and' : '';
      return `it does not run now; ${before}${renders} is fetched by \`${resume}\``;
    }
  }
}

function untilText(untilMs: number | undefined): string {
  return untilMs === undefined ? '' : `, at the latest until ${formatClock(untilMs)}`;
}
