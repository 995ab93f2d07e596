import { parseArgs } from 'node:util';
import { BREAKABLE, type Broken } from './account.js';

/** What the histories are asked for. */
export interface Arguments {
  count: number;
  seed: number;
  processes: number;
  /** Nothing, one assumption, or nothing and then each in turn. */
  broken: (Broken | undefined)[];
  json: string | undefined;
}

export const USAGE = `usage: npm run histories -- [--count N] [--seed S] [--break ${BREAKABLE.join('|')}|all] [--jobs N] [--json FILE]`;

/** Throws an Error with one sentence for what cannot be understood. */
export function readArguments(args: string[], processors: number): Arguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { count: text, seed: text, jobs: text, break: text, json: text } });
  return {
    count: whole('--count', values.count ?? '20000'),
    seed: whole('--seed', values.seed ?? '1'),
    processes: whole('--jobs', values.jobs ?? String(processors)),
    broken: brokenOf(values.break),
    json: values.json,
  };
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new Error(`${name} must be a whole number above 0, got '${text}'`);
}

function brokenOf(text: string | undefined): Arguments['broken'] {
  if (text === undefined) return [undefined];
  if (text === 'all') return [undefined, ...BREAKABLE];
  const found = BREAKABLE.find((one) => one === text);
  if (found) return [found];
  throw new Error(`--break takes ${BREAKABLE.join(', ')} or all, got '${text}'`);
}
