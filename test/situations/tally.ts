// The figures of a run.
import type { Draw } from './draw.js';

export interface Flaw {
  draw: number;
  situation?: string;
  command: string;
  broken: string[];
  /** The last of standard error. */
  said?: string;
  /** How to see it again. */
  again?: string;
}

export interface Tally {
  draws: number;
  situations: Record<string, number>;
  commands: Record<string, number>;
  exitCodes: Record<string, number>;
  flaws: Flaw[];
}

export function newTally(): Tally {
  return { draws: 0, situations: {}, commands: {}, exitCodes: {}, flaws: [] };
}

export function addDraw(tally: Tally, { situation, leaf }: Draw, exitCode: number | 'hung'): void {
  tally.draws += 1;
  count(tally.situations, situation.name, 1);
  count(tally.commands, leaf.path, 1);
  count(tally.exitCodes, String(exitCode), 1);
}

export function merge(total: Tally, part: Tally): void {
  total.draws += part.draws;
  for (const name of ['situations', 'commands', 'exitCodes'] as const) {
    for (const [key, times] of Object.entries(part[name])) count(total[name], key, times);
  }
  total.flaws.push(...part.flaws);
}

function count(counts: Record<string, number>, key: string, times: number): void {
  counts[key] = (counts[key] ?? 0) + times;
}
