import type { CommandEntry, Ungrouped } from './command-entry.js';
import { MACHINE } from './machine-commands.js';

const RUNNING: Ungrouped[] = [
  {
    name: 'run',
    usage: '<manifest|->',
    summary: 'run a manifest; the same command again continues',
    load: async () => (await import('./commands/run.js')).defineRun,
  },
  {
    name: 'plan',
    usage: '<manifest|->',
    summary: 'validate a manifest and show rows, costs and time; spends nothing',
    load: async () => (await import('./commands/plan.js')).definePlan,
  },
  {
    name: 'kinds',
    usage: '[kind]',
    summary: 'what rows can ask for, with every rule',
    load: async () => (await import('./commands/kinds.js')).defineKinds,
  },
  {
    name: 'init',
    usage: '<kind>',
    summary: 'write a sample manifest',
    load: async () => (await import('./commands/init.js')).defineInit,
  },
];

const BATCHES: Ungrouped[] = [
  {
    name: 'watch',
    usage: '<batch>',
    summary: 'follow a batch that runs',
    load: async () => (await import('./commands/watch.js')).defineWatch,
  },
  {
    name: 'status',
    usage: '<batch>',
    summary: 'where a batch stands',
    load: async () => (await import('./commands/status.js')).defineStatus,
  },
  {
    name: 'list',
    usage: '',
    summary: 'every batch of the account',
    load: async () => (await import('./commands/list.js')).defineList,
  },
  {
    name: 'pause',
    usage: '<batch>',
    summary: 'submit nothing new for now',
    load: async () => (await import('./commands/pause.js')).definePause,
  },
  {
    name: 'resume',
    usage: '[batch]',
    summary: 'go on after a pause, a stop or a reboot, or with a higher budget',
    load: async () => (await import('./commands/pause.js')).defineResume,
  },
  {
    name: 'limits',
    usage: '[batch]',
    summary: 'how much of the plan the account or a batch may use, also while it runs',
    load: async () => (await import('./commands/limits.js')).defineLimits,
  },
  {
    name: 'cancel',
    usage: '<batch>',
    summary: 'submit nothing new; what is paid is still fetched',
    load: async () => (await import('./commands/cancel.js')).defineCancel,
  },
  {
    name: 'approve',
    usage: '<batch>',
    summary: 'run the rest of a batch after its sample',
    load: async () => (await import('./commands/approve.js')).defineApprove,
  },
  {
    name: 'retry',
    usage: '<batch>',
    summary: 'run failed and cancelled rows again',
    load: async () => (await import('./commands/retry.js')).defineRetry,
  },
  {
    name: 'rerun',
    usage: '<batch> <id>',
    summary: 'render a row that is done once more, and pay for it',
    load: async () => (await import('./commands/rerun.js')).defineRerun,
  },
  {
    name: 'review',
    usage: 'list|show|…',
    summary: 'rows that need a person: the evidence, and how to settle them',
    load: async () => (await import('./commands/review.js')).defineReview,
  },
  {
    name: 'ledger',
    usage: 'show|verify',
    summary: 'what is on record of a row, and whether the records agree',
    load: async () => (await import('./commands/ledger.js')).defineLedger,
  },
  {
    name: 'results',
    usage: '<batch>',
    summary: 'write results.csv, results.jsonl and failed.csv now',
    load: async () => (await import('./commands/results.js')).defineResults,
  },
  {
    name: 'report',
    usage: '<batch>',
    summary: 'write report.html now: the media, the costs and the failures on one page',
    load: async () => (await import('./commands/report.js')).defineReport,
  },
  {
    name: 'clean',
    usage: '[batch]',
    summary: 'remove parts and temporary files of finished batches, never media',
    load: async () => (await import('./commands/clean.js')).defineClean,
  },
];

const SERVICE: Ungrouped[] = [
  {
    name: 'credits',
    usage: '',
    summary: 'balance, plan and caps',
    load: async () => (await import('./commands/account.js')).defineCredits,
  },
  {
    name: 'discounts',
    usage: '',
    summary: 'active discounts',
    load: async () => (await import('./commands/account.js')).defineDiscounts,
  },
  {
    name: 'voices',
    usage: '',
    summary: 'voices for avatar scripts',
    load: async () => (await import('./commands/account.js')).defineVoices,
  },
  {
    name: 'prices',
    usage: '',
    summary: 'what requests cost: configured, or measured from the balance',
    load: async () => (await import('./commands/prices.js')).definePrices,
  },
  {
    name: 'emulator',
    usage: '',
    summary: "the service's double, for rehearsals that cost nothing",
    load: async () => (await import('./commands/emulator.js')).defineEmulator,
  },
];

/** Every command with its line in the help. A command's own file is loaded only when it is used. */
export const COMMANDS: readonly CommandEntry[] = [
  ...RUNNING.map((one) => ({ ...one, group: 'Run a manifest:' })),
  ...BATCHES.map((one) => ({ ...one, group: 'Batches:' })),
  ...SERVICE.map((one) => ({ ...one, group: 'The service:' })),
  ...MACHINE.map((one) => ({ ...one, group: 'This machine:' })),
];
