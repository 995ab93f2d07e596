import { type ChildProcess, fork } from 'node:child_process';
import type { EngineProgram } from './engine-options.js';
import { openLog } from './places.js';

export interface WorkerProgram {
  program: EngineProgram;
  /** Command line of the worker: where the data folder is. */
  args: string[];
  environment: NodeJS.ProcessEnv;
  log: string;
}

/** Every record waits for the disk on a thread of its own: with Node's four, reads queue behind ten slots' writes. */
const UV_THREADPOOL_SIZE = '24';
/** With an arena for each of so many threads the allocator holds tens of MB that nobody uses. */
const MALLOC_ARENA_MAX = '2';
/** MB; with V8's own 16 the young generation of each of the worker's isolates grows to three times that. */
const YOUNG_GENERATION = '--max-semi-space-size=2';

export function forkWorker({ program, args, environment, log }: WorkerProgram): ChildProcess {
  const file = openLog(log);
  try {
    return fork(program.path, args, {
      execArgv: [YOUNG_GENERATION, ...program.execArgv],
      env: { UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX, ...environment },
      stdio: ['ignore', file.fd, file.fd, 'ipc'],
    });
  } finally {
    file.close();
  }
}
