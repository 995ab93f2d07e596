import type { Ungrouped } from './command-entry.js';

/** The commands that are about this machine, with their lines in the help. */
export const MACHINE: readonly Ungrouped[] = [
  {
    name: 'dashboard',
    usage: '',
    summary: 'every batch in the browser: rows, media, time; pause, retry, settle',
    load: async () => (await import('./commands/dashboard.js')).defineDashboard,
  },
  {
    name: 'doctor',
    usage: '',
    summary: 'check everything and say what to do',
    load: async () => (await import('./commands/doctor.js')).defineDoctor,
  },
  {
    name: 'config',
    usage: 'show',
    summary: 'settings and where each came from',
    load: async () => (await import('./commands/config.js')).defineConfig,
  },
  {
    name: 'notify',
    usage: 'test',
    summary: 'whether what is told of batches arrives',
    load: async () => (await import('./commands/notify.js')).defineNotify,
  },
  {
    name: 'engine',
    usage: 'status|stop',
    summary: 'the engine of the data folder',
    load: async () => (await import('./commands/engine.js')).defineEngine,
  },
  {
    name: 'dev',
    usage: '',
    summary: 'the engine in the foreground',
    load: async () => (await import('./commands/dev.js')).defineDev,
  },
  {
    name: 'worker',
    usage: '',
    summary: 'a worker for a shared Temporal',
    load: async () => (await import('./commands/worker.js')).defineWorker,
  },
  {
    name: 'callbacks',
    usage: '',
    summary: "receive vendor-a's status updates for a shared Temporal",
    load: async () => (await import('./commands/callbacks.js')).defineCallbacks,
  },
  {
    name: 'explain',
    usage: '[code]',
    summary: 'what a code means, whether it was billed, and what to do',
    load: async () => (await import('./commands/explain.js')).defineExplain,
  },
  {
    name: 'completion',
    usage: '<shell>',
    summary: 'what a shell needs to complete commands, flags and batches',
    load: async () => (await import('./commands/completion.js')).defineCompletion,
  },
];
