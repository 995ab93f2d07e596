import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Broken, BREAKABLE } from './account.js';
import { playHistory } from './play.js';
import { addHistory, merge, newTally, printSummary, summaryOf, type Tally } from './tally.js';
import { parseArgs } from 'node:util';

/** `npm run histories`: random accounts, and whether the credits check tells the truth of each. */

interface Share {
  first: number;
  step: number;
  last: number;
  broken: Broken | undefined;
}

function playShare({ first, step, last, broken }: Share): Tally {
  const tally = newTally();
  for (let seed = first; seed <= last; seed += step) addHistory(tally, playHistory(seed, broken));
  return tally;
}

async function playAll({ count, seed, processes }: Arguments, broken: Broken | undefined): Promise<Tally> {
  const last = seed + count - 1;
  if (processes === 1) return playShare({ first: seed, step: 1, last, broken });
  const total = newTally();
  const shares = Array.from({ length: processes }, (_, i): Share => ({ first: seed + i, step: processes, last, broken }));
  for (const tally of await Promise.all(shares.map(inChild))) merge(total, tally);
  return total;
}

function inChild(share: Share): Promise<Tally> {
  const child = fork(process.argv[1] ?? '', ['--share', JSON.stringify(share)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('message', (tally) => resolve(tally as Tally));
    child.once('exit', (code) => {
      if (code !== 0) reject(new Error(`a process of the histories ended with code ${code}`));
    });
  });
}

/** True when every broken assumption was noticed, and nothing else was. */
async function runAll(args: Arguments): Promise<boolean> {
  const runs: object[] = [];
  let isGood = true;
  for (const broken of args.broken) {
    const startedAt = process.hrtime.bigint();
    const tally = await playAll(args, broken);
    const summary = summaryOf(tally, broken, Number(process.hrtime.bigint() - startedAt) / 1e9);
    process.stdout.write(`${printSummary(summary)}\n`);
    runs.push(summary);
    const isRed = Object.values(tally.breaches).some((count) => count > 0);
    if (isRed !== (broken !== undefined)) isGood = false;
  }
  const { count, seed, processes } = args;
  if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify({ count, seed, processes, runs }, null, 2)}\n`);
  return isGood;
}

/** What the histories are asked for. */
interface Arguments {
  count: number;
  seed: number;
  processes: number;
  /** Nothing, one assumption, or nothing and then each in turn. */
  broken: (Broken | undefined)[];
  json: string | undefined;
}

const USAGE = `usage: npm run histories -- [--count N] [--seed S] [--break ${BREAKABLE.join('|')}|all] [--jobs N] [--json FILE]`;

/** Throws an Error with one sentence for what cannot be understood. */
function readArguments(args: string[], processors: number): Arguments {
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

const [first, share] = process.argv.slice(2);
if (first === '--share' && share !== undefined) {
  process.send?.(playShare(JSON.parse(share) as Share), () => process.exit(0));
} else {
  try {
    const isGood = await runAll(readArguments(process.argv.slice(2), availableParallelism()));
    process.exitCode = isGood ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exitCode = 2;
  }
}
