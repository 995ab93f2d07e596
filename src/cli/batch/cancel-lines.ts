import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { formatClock } from '../views/durations.js';

/** What a cancel says of jobs that the service accepted before. */

export interface Left {
  /** Null where nobody answered who could count them. */
  stillRunning: number | null;
  /** The latest time at which the last of them has ended by the longest render. */
  untilMs: number | undefined;
}

export function leftLines(session: Session, batch: string, { stillRunning, untilMs }: Left): string[] {
  if (stillRunning === null) {
    const look = commandHint(session, `status ${batch}`);
    return [
      `the worker does not answer: what the service accepted before renders on and is billed; \`${look}\` counts it`,
    ];
  }
  if (stillRunning === 0) return ['nothing of it runs at the service any more'];
  const until = untilMs === undefined ? '' : `, at the latest until ${formatClock(untilMs)}`;
  const watch = commandHint(session, `watch ${batch}`);
  return [
    `${stillRunning} jobs were accepted by the service before: they render on${until}, are billed, and are fetched`,
    `watch: ${watch}`,
  ];
}

export function restLines(session: Session, isHeard: boolean): string[] {
  if (!isHeard) return ['what the service accepted before renders on, is billed, and is fetched once Temporal answers'];
  const resume = commandHint(session, 'resume --all');
  return [`it does not run now; what the service accepted before is fetched by \`${resume}\``];
}
