import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Arguments, readArguments, USAGE } from './arguments.js';
import type { Assumption } from './assumptions.js';
import { NOT_CHECKED, NOT_MODELLED, PARTLY_CHECKED, printSummary, summaryOf } from './report.js';
import { playSeed } from './seed.js';
import { addSeed, merge, newTally, type Tally } from './tally.js';

/** `npm run sim`: plays seeds in as many processes as there are processors and sums them up. */

/** So many seeds are played before one of them is played a second time. */
const REPLAY_EVERY = 50;

interface Share {
  first: number;
  step: number;
  last: number;
  broken: Assumption | undefined;
  /** No further seed is begun after this time. */
  seconds: number;
}

async function playShare({ first, step, last, broken, seconds }: Share): Promise<Tally> {
  const tally = newTally();
  const startedAt = process.hrtime.bigint();
  const hasTime = (): boolean => Number(process.hrtime.bigint() - startedAt) / 1e9 < seconds;
  for (let seed = first; seed <= last && hasTime(); seed += step) {
    const result = await playSeed(seed, broken, false);
    addSeed(tally, result);
    // A run of hours says at once what there is to be looked at.
    for (const { rule, what } of result.violations) process.stderr.write(`seed ${seed}: ${rule} ${what}\n`);
    for (const { told } of result.cases.filter(({ isRight }) => !isRight)) {
      process.stderr.write(`seed ${seed}, WRONG: ${told}\n`);
    }
    if (tally.seeds % REPLAY_EVERY !== 1) continue;
    tally.replayed += 1;
    const again = await playSeed(seed, broken, false);
    if (again.hash !== result.hash) tally.differing.push(seed);
  }
  return tally;
}

async function playAll({ seeds, from, processes, seconds }: Arguments, broken: Assumption | undefined): Promise<Tally> {
  const total = newTally();
  const last = from + seeds - 1;
  if (processes === 1) return playShare({ first: from, step: 1, last, broken, seconds });
  await Promise.all(
    Array.from({ length: Math.min(processes, seeds) }, async (_, i) => {
      const share: Share = { first: from + i, step: processes, last, broken, seconds };
      merge(total, await inChild(share));
    }),
  );
  return total;
}

function inChild(share: Share): Promise<Tally> {
  const [, program = ''] = process.argv;
  const child = fork(program, ['--share', JSON.stringify(share)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('message', (tally) => resolve(tally as Tally));
    child.once('exit', (code) => {
      if (code !== 0) reject(new Error(`a process of the simulation ended with code ${code}`));
    });
  });
}

async function traceSeed({ from }: Arguments, broken: Assumption | undefined): Promise<boolean> {
  const result = await playSeed(from, broken, true);
  process.stdout.write(`${result.history.join('\n')}\nhash ${result.hash}\n`);
  return result.violations.length === 0;
}

async function runAll(args: Arguments): Promise<boolean> {
  const summaries: object[] = [];
  let isGood = true;
  for (const broken of args.broken) {
    const startedAt = process.hrtime.bigint();
    const tally = await playAll(args, broken);
    const summary = summaryOf(tally, broken, Number(process.hrtime.bigint() - startedAt) / 1e9);
    summaries.push(summary);
    process.stdout.write(`${printSummary(summary, tally)}\n`);
    // With an assumption broken wrong verdicts are what is to be seen.
    if (broken === undefined && tally.failed.length > 0) isGood = false;
    if (tally.differing.length > 0) isGood = false;
  }
  const facts = {
    seeds: args.seeds,
    from: args.from,
    processes: args.processes,
    partlyChecked: PARTLY_CHECKED,
    notChecked: NOT_CHECKED,
    notModelled: NOT_MODELLED,
    runs: summaries,
  };
  if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify(facts, null, 2)}\n`);
  return isGood;
}

const [first, share] = process.argv.slice(2);
if (first === '--share' && share !== undefined) {
  const tally = await playShare(JSON.parse(share) as Share);
  process.send?.(tally, () => process.exit(0));
} else {
  try {
    const args = readArguments(process.argv.slice(2), availableParallelism());
    const isGood = args.isTraced ? await traceSeed(args, args.broken[0]) : await runAll(args);
    process.exitCode = isGood ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exitCode = 2;
  }
}
