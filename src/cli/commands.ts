import type { Command } from 'commander';
import type { Cli } from './io.js';

/** One command with its line in the help. */
interface CommandEntry {
  name: string;
  /** What stands behind the name in the help. */
  usage: string;
  summary: string;
  group: string;
  load: () => Promise<(command: Command, cli: Cli) => void>;
}

/** A command's own file is loaded only when it is used. */
const LOAD = {
  run: async () => (await import('./commands/run.js')).defineRun,
  plan: async () => (await import('./commands/plan.js')).definePlan,
  kinds: async () => (await import('./commands/kinds.js')).defineKinds,
  init: async () => (await import('./commands/init.js')).defineInit,
  watch: async () => (await import('./commands/watch.js')).defineWatch,
  status: async () => (await import('./commands/status.js')).defineStatus,
  list: async () => (await import('./commands/list.js')).defineList,
  pause: async () => (await import('./commands/pause.js')).definePause,
  resume: async () => (await import('./commands/pause.js')).defineResume,
  limits: async () => (await import('./commands/limits.js')).defineLimits,
  cancel: async () => (await import('./commands/cancel.js')).defineCancel,
  approve: async () => (await import('./commands/approve.js')).defineApprove,
  retry: async () => (await import('./commands/retry.js')).defineRetry,
  rerun: async () => (await import('./commands/rerun.js')).defineRerun,
  review: async () => (await import('./commands/review.js')).defineReview,
  ledger: async () => (await import('./commands/ledger.js')).defineLedger,
  results: async () => (await import('./commands/results.js')).defineResults,
  report: async () => (await import('./commands/report.js')).defineReport,
  clean: async () => (await import('./commands/clean.js')).defineClean,
  credits: async () => (await import('./commands/account.js')).defineCredits,
  discounts: async () => (await import('./commands/account.js')).defineDiscounts,
  voices: async () => (await import('./commands/account.js')).defineVoices,
  prices: async () => (await import('./commands/prices.js')).definePrices,
  emulator: async () => (await import('./commands/emulator.js')).defineEmulator,
  dashboard: async () => (await import('./commands/dashboard.js')).defineDashboard,
  doctor: async () => (await import('./commands/doctor.js')).defineDoctor,
  config: async () => (await import('./commands/config.js')).defineConfig,
  notify: async () => (await import('./commands/notify.js')).defineNotify,
  engine: async () => (await import('./commands/engine.js')).defineEngine,
  dev: async () => (await import('./commands/dev.js')).defineDev,
  worker: async () => (await import('./commands/worker.js')).defineWorker,
  callbacks: async () => (await import('./commands/callbacks.js')).defineCallbacks,
  explain: async () => (await import('./commands/explain.js')).defineExplain,
  completion: async () => (await import('./commands/completion.js')).defineCompletion,
};

type Line = [name: keyof typeof LOAD, usage: string, summary: string];

/** By group of the help, in its order. */
const LINES: Record<string, Line[]> = {
  'Run a manifest:': [
    ['run', '<manifest|->', 'run a manifest; the same command again continues'],
    ['plan', '<manifest|->', 'validate a manifest and show rows, costs and time; spends nothing'],
    ['kinds', '[kind]', 'what rows can ask for, with every rule'],
    ['init', '<kind>', 'write a sample manifest'],
  ],
  'Batches:': [
    ['watch', '<batch>', 'follow a batch that runs'],
    ['status', '<batch>', 'where a batch stands'],
    ['list', '', 'every batch of the account'],
    ['pause', '<batch>', 'submit nothing new for now'],
    ['resume', '[batch]', 'go on after a pause, a stop or a reboot, or with a higher budget'],
    ['limits', '[batch]', 'how much of the plan the account or a batch may use, also while it runs'],
    ['cancel', '<batch>', 'submit nothing new; what is paid is still fetched'],
    ['approve', '<batch>', 'run the rest of a batch after its sample'],
    ['retry', '<batch>', 'run failed and cancelled rows again'],
    ['rerun', '<batch> <id>', 'render a row that is done once more, and pay for it'],
    ['review', 'list|show|…', 'rows that need a person: the evidence, and how to settle them'],
    ['ledger', 'show|verify', 'what is on record of a row, and whether the records agree'],
    ['results', '<batch>', 'write results.csv, results.jsonl and failed.csv now'],
    ['report', '<batch>', 'write report.html now: the media, the costs and the failures on one page'],
    ['clean', '[batch]', 'remove parts and temporary files of finished batches, never media'],
  ],
  'The service:': [
    ['credits', '', 'balance, plan and caps'],
    ['discounts', '', 'active discounts'],
    ['voices', '', 'voices for avatar scripts'],
    ['prices', '', 'what requests cost: configured, or measured from the balance'],
    ['emulator', '', "the service's double, for rehearsals that cost nothing"],
  ],
  'This machine:': [
    ['dashboard', '', 'every batch in the browser: rows, media, time; pause, retry, settle'],
    ['doctor', '', 'check everything and say what to do'],
    ['config', 'show', 'settings and where each came from'],
    ['notify', 'test', 'whether what is told of batches arrives'],
    ['engine', 'status|stop', 'the engine of the data folder'],
    ['dev', '', 'the engine in the foreground'],
    ['worker', '', 'a worker for a shared Temporal'],
    ['callbacks', '', "receive vendor-a's status updates for a shared Temporal"],
    ['explain', '[code]', 'what a code means, whether it was billed, and what to do'],
    ['completion', '<shell>', 'what a shell needs to complete commands, flags and batches'],
  ],
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(LINES).flatMap(([group, lines]) =>
  lines.map(([name, usage, summary]) => ({ name, usage, summary, group, load: LOAD[name] })),
);

/** The commands whose whole work is what they print: the others have taken effect, or go on, where it cannot be read. */
const PRINTING = [
  ...['help', 'plan', 'kinds', 'init', 'status', 'list', 'review list', 'review show', 'ledger show', 'ledger verify'],
  ...['credits', 'discounts', 'voices', 'prices', 'doctor', 'config', 'engine status', 'explain', 'completion'],
];

/** True of a command line that has done nothing where its standard output cannot be written. */
export function isPrintingAlone(args: readonly string[]): boolean {
  const line = args.filter((word) => !word.startsWith('-')).join(' ');
  return line === '' || PRINTING.some((name) => line === name || line.startsWith(`${name} `));
}
