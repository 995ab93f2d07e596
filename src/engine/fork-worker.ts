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

export function forkWorker({ program, args, environment, log }: WorkerProgram): ChildProcess {
  const file = openLog(log);
  try {
    return fork(program.path, args, {
      execArgv: program.execArgv,
      env: { UV_THREADPOOL_SIZE, ...environment },
      stdio: ['ignore', file.fd, file.fd, 'ipc'],
    });
  } finally {
    file.close();
  }
}
