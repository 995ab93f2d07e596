// `npm run situations -- --draws 10000 --seed 1 --json FILE`: commands in situations, drawn at random; `--draw N` repeats one.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runShare, type Share } from './runner.js';
import { type Flaw, merge, newTally, type Tally } from './tally.js';

const USAGE = 'usage: npm run situations -- [--draws 300] [--seed 1] [--draw N] [--jobs N] [--lanes 6] [--json FILE]';

interface Arguments {
  numbers: number[];
  seed: number;
  processes: number;
  lanes: number;
  json: string | undefined;
}

function readArguments(args: string[]): Arguments {
  const text = { type: 'string' } as const;
  const options = { draws: text, seed: text, draw: text, jobs: text, lanes: text, json: text };
  const { values } = parseArgs({ args, options });
  const draws = whole('--draws', values.draws ?? '300');
  const numbers =
    values.draw === undefined ? Array.from({ length: draws }, (_, i) => i + 1) : [whole('--draw', values.draw)];
  const processes = values.draw === undefined ? whole('--jobs', values.jobs ?? String(availableParallelism())) : 1;
  const lanes = whole('--lanes', values.lanes ?? '6');
  return { numbers, seed: whole('--seed', values.seed ?? '1'), processes, lanes, json: values.json };
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new Error(`${name} must be a whole number above 0, got '${text}'`);
}

/** Gives true when every draw held. */
async function runAll({ numbers, seed, processes, lanes, json }: Arguments): Promise<boolean> {
  const startedMs = performance.now();
  const total = newTally();
  const shares = Array.from({ length: processes }, (_, at): Share => {
    return { seed, lanes, numbers: numbers.filter((_number, index) => index % processes === at) };
  });
  for (const tally of await Promise.all(shares.map(inChild))) merge(total, tally);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  const report = { seed, processes, lanes, seconds, ...total };
  process.stdout.write(`${total.draws} draws in ${seconds} s, ${total.flaws.length} of them do not hold\n`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  return total.flaws.length === 0;
}

function inChild(share: Share): Promise<Tally> {
  const child = fork(fileURLToPath(import.meta.url), ['--share', JSON.stringify(share)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('message', (tally) => resolve(tally as Tally));
    child.once('exit', (code) => reject(new Error(`a process of the draws ended with code ${code}`)));
  });
}

function show({ draw, situation, command, broken, said, again }: Flaw): void {
  process.stdout.write(
    `draw ${draw} (${situation}): ${command}\n  ${broken.join('\n  ')}\n  ${said}\n  again: ${again}\n`,
  );
}

const [first, share] = process.argv.slice(2);
try {
  if (first === '--share' && share !== undefined) {
    const tally = await runShare(JSON.parse(share) as Share, show);
    process.send?.(tally, () => process.exit(0));
  } else {
    process.exitCode = (await runAll(readArguments(process.argv.slice(2)))) ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${USAGE}\n`);
  process.exit(2);
}
