// `npm run bench` runs every benchmark but some that take long or kill (workloads, scenarios, fairness, recovery, orders, seen, chains, large, soak); `npm run bench -- turnover --slots 1 --runs 5` one of them.
import { parseArgs } from 'node:util';
import { chains } from './chains.js';
import { download } from './download.js';
import { fairness } from './fairness.js';
import { finished } from './finished.js';
import { large } from './large.js';
import { ledger } from './ledger.js';
import { type Bench, type BenchOptions, say } from './lib/bench.js';
import { describeMachine, loadAverage } from './lib/machine.js';
import { writePage } from './lib/page.js';
import { missedBounds, type Report, reportText, writeReport } from './lib/report.js';
import { orders } from './orders.js';
import { outputs } from './outputs.js';
import { recovery } from './recovery.js';
import { scenarios } from './scenarios.js';
import { seen } from './seen.js';
import { soak } from './soak.js';
import { turnover } from './turnover.js';
import { validate } from './validate.js';
import { validateMedia } from './validate-media.js';
import { workloads } from './workloads.js';

const BENCHES: Record<string, Bench> = {
  turnover,
  workloads,
  scenarios,
  fairness,
  validate,
  'validate-media': validateMedia,
  ledger,
  finished,
  download,
  outputs,
  recovery,
  orders,
  seen,
  chains,
  large,
  soak,
};
const HELP = `usage: npm run bench -- [${Object.keys(BENCHES).join(' | ')}] [--runs 3] [--slots 10] [--jobs 160] [--keep]
  --runs   how often; the median counts
  --slots  turnover: simultaneous jobs of the plan
  --jobs   turnover: rows of the manifest
  --minutes, --rows, --seed   soak: at least so long (60) and so many rows (5000), with the chances of this seed (1)
  --rows   orders, seen, chains, large: rows of the manifest (100000, for large 300000)
  --peers  workloads: the same work by a p-queue script and by Temporal as its samples do it, in the same run
  --only   scenarios: those whose name holds this
  --keep   write the results to bench/results instead of bench/results/local
Exit code 1 when a median misses its bound.\n`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      slots: { type: 'string' },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
      rows: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      peers: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const options: BenchOptions = {
    runs: wholeNumber('--runs', values.runs),
    slots: optionalNumber('--slots', values.slots),
    jobs: optionalNumber('--jobs', values.jobs),
    minutes: optionalNumber('--minutes', values.minutes),
    rows: optionalNumber('--rows', values.rows),
    seed: optionalNumber('--seed', values.seed),
    peers: values.peers,
    only: values.only,
  };
  const missed: string[] = [];
  for (const bench of chosen(positionals)) missed.push(...(await runBench(bench, options, values.keep)));
  for (const sentence of missed) say(sentence);
  return missed.length === 0 ? 0 : 1;
}

/** Prints and keeps the figures; gives the bounds that were missed. */
async function runBench(bench: Bench, options: BenchOptions, keep: boolean): Promise<string[]> {
  const before = loadAverage();
  const outcome = await bench(options);
  const report: Report = {
    ...outcome,
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    loadAverage: { before, after: loadAverage() },
  };
  process.stdout.write(`${reportText(report)}\n`);
  writeReport(report, keep);
  if (keep) writePage();
  return missedBounds(report);
}

/** All of them where none is named; `turnover` then with ten slots and with one. */
function chosen(names: string[]): Bench[] {
  if (names.length === 0) {
    return [
      turnover,
      (options) => turnover({ ...options, slots: 1, jobs: undefined }),
      validate,
      validateMedia,
      ledger,
      finished,
      download,
      outputs,
    ];
  }
  return names.map((name) => {
    const bench = BENCHES[name];
    if (bench === undefined) throw new Error(`unknown benchmark '${name}'\n${HELP}`);
    return bench;
  });
}

function optionalNumber(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text);
}

function wholeNumber(flag: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`${flag} must be a whole number from 1, got '${text}'`);
  return Number(text);
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
