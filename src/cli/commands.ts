import type { Command } from 'commander';
import type { Cli } from './cli.js';

/** Every command with its line in the help. A command's own file is loaded only when it is used. */
export interface CommandEntry {
  name: string;
  /** What stands behind the name in the help. */
  usage: string;
  summary: string;
  group: string;
  load: () => Promise<(command: Command, cli: Cli) => void>;
}

const RUNNING = 'Run a manifest:';
const BATCHES = 'Batches:';
const SERVICE = 'The service:';
const MACHINE = 'This machine:';

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    usage: '<manifest|->',
    summary: 'run a manifest; the same command again continues',
    group: RUNNING,
    load: async () => (await import('./commands/run.js')).defineRun,
  },
  {
    name: 'plan',
    usage: '<manifest|->',
    summary: 'validate a manifest and show rows, costs and time; spends nothing',
    group: RUNNING,
    load: async () => (await import('./commands/plan.js')).definePlan,
  },
  {
    name: 'kinds',
    usage: '[kind]',
    summary: 'what rows can ask for, with every rule',
    group: RUNNING,
    load: async () => (await import('./commands/kinds.js')).defineKinds,
  },
  {
    name: 'init',
    usage: '<kind>',
    summary: 'write a sample manifest',
    group: RUNNING,
    load: async () => (await import('./commands/init.js')).defineInit,
  },
  {
    name: 'watch',
    usage: '<batch>',
    summary: 'follow a batch that runs',
    group: BATCHES,
    load: async () => (await import('./commands/watch.js')).defineWatch,
  },
  {
    name: 'status',
    usage: '<batch>',
    summary: 'where a batch stands',
    group: BATCHES,
    load: async () => (await import('./commands/status.js')).defineStatus,
  },
  {
    name: 'list',
    usage: '',
    summary: 'every batch of the account',
    group: BATCHES,
    load: async () => (await import('./commands/list.js')).defineList,
  },
  {
    name: 'pause',
    usage: '<batch>',
    summary: 'submit nothing new for now',
    group: BATCHES,
    load: async () => (await import('./commands/pause.js')).definePause,
  },
  {
    name: 'resume',
    usage: '<batch>',
    summary: 'go on after a pause, or with a higher budget',
    group: BATCHES,
    load: async () => (await import('./commands/pause.js')).defineResume,
  },
  {
    name: 'cancel',
    usage: '<batch>',
    summary: 'submit nothing new; what is paid is still fetched',
    group: BATCHES,
    load: async () => (await import('./commands/cancel.js')).defineCancel,
  },
  {
    name: 'retry',
    usage: '<batch>',
    summary: 'run failed and cancelled rows again',
    group: BATCHES,
    load: async () => (await import('./commands/retry.js')).defineRetry,
  },
  {
    name: 'results',
    usage: '<batch>',
    summary: 'write results.csv, results.jsonl and failed.csv now',
    group: BATCHES,
    load: async () => (await import('./commands/results.js')).defineResults,
  },
  {
    name: 'clean',
    usage: '[batch]',
    summary: 'remove parts and temporary files of finished batches, never media',
    group: BATCHES,
    load: async () => (await import('./commands/clean.js')).defineClean,
  },
  {
    name: 'credits',
    usage: '',
    summary: 'balance, plan and caps',
    group: SERVICE,
    load: async () => (await import('./commands/account.js')).defineCredits,
  },
  {
    name: 'discounts',
    usage: '',
    summary: 'active discounts',
    group: SERVICE,
    load: async () => (await import('./commands/account.js')).defineDiscounts,
  },
  {
    name: 'voices',
    usage: '',
    summary: 'voices for avatar scripts',
    group: SERVICE,
    load: async () => (await import('./commands/account.js')).defineVoices,
  },
  {
    name: 'prices',
    usage: '',
    summary: 'what requests cost: configured, or measured from the balance',
    group: SERVICE,
    load: async () => (await import('./commands/prices.js')).definePrices,
  },
  {
    name: 'emulator',
    usage: '',
    summary: "the service's double, for rehearsals that cost nothing",
    group: SERVICE,
    load: async () => (await import('./commands/emulator.js')).defineEmulator,
  },
  {
    name: 'doctor',
    usage: '',
    summary: 'check everything and say what to do',
    group: MACHINE,
    load: async () => (await import('./commands/doctor.js')).defineDoctor,
  },
  {
    name: 'config',
    usage: 'show',
    summary: 'settings and where each came from',
    group: MACHINE,
    load: async () => (await import('./commands/config.js')).defineConfig,
  },
  {
    name: 'engine',
    usage: 'status|stop',
    summary: 'the engine of the data folder',
    group: MACHINE,
    load: async () => (await import('./commands/engine.js')).defineEngine,
  },
  {
    name: 'dev',
    usage: '',
    summary: 'the engine in the foreground',
    group: MACHINE,
    load: async () => (await import('./commands/dev.js')).defineDev,
  },
  {
    name: 'worker',
    usage: '',
    summary: 'a worker for a shared Temporal',
    group: MACHINE,
    load: async () => (await import('./commands/worker.js')).defineWorker,
  },
  {
    name: 'callbacks',
    usage: '',
    summary: "receive vendor-a's status updates for a shared Temporal",
    group: MACHINE,
    load: async () => (await import('./commands/callbacks.js')).defineCallbacks,
  },
];
