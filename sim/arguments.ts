import { parseArgs } from 'node:util';
import { ASSUMPTIONS, type Assumption } from './assumptions.js';

/** What the simulation is asked to do. */
export interface Arguments {
  seeds: number;
  from: number;
  isTraced: boolean;
  /** Nothing, one assumption, or each in turn. */
  broken: (Assumption | undefined)[];
  json: string | undefined;
  processes: number;
  /** No further seed is begun after this time. */
  seconds: number;
}

export const USAGE = `usage: npm run sim -- [--seeds N] [--from S] [--seed S [--trace]] [--break ${ASSUMPTIONS.join('|')}|all] [--jobs N] [--for SECONDS] [--json FILE]`;

const MANY = 200;
const LONGEST_SECONDS = 86_400;

/** Throws an Error with one sentence for what cannot be understood. */
export function readArguments(args: string[], processors: number): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      trace: { type: 'boolean' },
      break: { type: 'string' },
      jobs: { type: 'string' },
      for: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const one = values.seed === undefined ? undefined : whole('--seed', values.seed);
  return {
    seeds: one === undefined ? whole('--seeds', values.seeds ?? String(MANY)) : 1,
    from: one ?? whole('--from', values.from ?? '1'),
    isTraced: values.trace ?? false,
    broken: brokenOf(values.break),
    json: values.json,
    processes: one === undefined ? whole('--jobs', values.jobs ?? String(processors)) : 1,
    seconds: whole('--for', values.for ?? String(LONGEST_SECONDS)),
  };
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new Error(`${name} must be a whole number above 0, got '${text}'`);
}

function brokenOf(text: string | undefined): Arguments['broken'] {
  if (text === undefined) return [undefined];
  if (text === 'all') return [undefined, ...ASSUMPTIONS];
  const found = ASSUMPTIONS.find((one) => one === text);
  if (found) return [found];
  throw new Error(`--break takes ${ASSUMPTIONS.join(', ')} or all, got '${text}'`);
}
