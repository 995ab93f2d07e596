import type { Sim } from '../engine/current.js';
import { hashText } from '../engine/random.js';

/** Keeps what happened in a seed: its last lines, all breaches, and one hash of everything. */

export interface Violation {
  rule: string;
  what: string;
  atMs: number;
}

const HISTORY_MAX = 400;
const VIOLATIONS_MAX = 20;

export function createReporter({ scheduler }: Sim, isTraced: boolean) {
  const violations: Violation[] = [];
  const history: string[] = [];
  let hash = hashText('');

  const trace = (who: string, what: string): void => {
    const line = `${scheduler.now().toFixed(3).padStart(13)} ${who} ${what}`;
    hash = hashText(line, hash);
    history.push(line);
    if (!isTraced && history.length > 2 * HISTORY_MAX) history.splice(0, HISTORY_MAX);
  };
  return {
    trace,
    report(rule: string, what: string): void {
      trace('BREACH', `${rule}: ${what}`);
      if (violations.length < VIOLATIONS_MAX) violations.push({ rule, what, atMs: scheduler.now() });
    },
    result: () => ({ violations, history, hash: hash.toString(16) }),
  };
}
