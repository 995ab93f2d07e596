/** Starts the supervisor as a process of its own session, so that no Ctrl-C and no closed terminal reaches it. */

import { spawn } from 'node:child_process';
import { type FoundTemporalCli, findTemporalCli } from '#scripts/temporal-cli.mjs';
import { ensureTemporalCli } from '#scripts/temporal-install.mjs';
import { EngineError } from './engine-error.js';
import {
  childEnvironment,
  type EngineProgram,
  readStartReport,
  type StartReport,
  type SupervisorOptions,
} from './engine-options.js';
import { type EnginePlaces, openLog } from './places.js';

export interface StartOptions {
  places: EnginePlaces;
  buildId: string;
  uiPort: number | null;
  idleMs: number;
  programs: { supervisor: EngineProgram; worker: EngineProgram };
  onProgress(line: string): void;
}

/**
 * Starts it and returns at once. The function that comes back is true while an engine may still come of it, false
 * when another supervisor was first, and throws when the engine ended again.
 */
export async function startDetached(options: StartOptions): Promise<() => boolean> {
  const { places, programs } = options;
  const cli = await locateTemporalCli(options.onProgress);
  const asked: SupervisorOptions = {
    dataFolder: places.dataFolder,
    buildId: options.buildId,
    temporalCli: cli.path,
    worker: programs.worker,
    idleMs: options.idleMs,
    uiPort: options.uiPort,
  };
  const log = openLog(places.logs.engine);
  const { path, execArgv } = programs.supervisor;
  const child = spawn(process.execPath, [...execArgv, path, JSON.stringify(asked)], {
    cwd: places.dataFolder,
    detached: true,
    env: childEnvironment(process.env),
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  log.close();
  let report: StartReport | undefined;
  child.on('message', (value) => {
    report = readStartReport(value);
  });
  child.once('error', (error) => {
    report = { type: 'failed', message: error.message };
  });
  child.once('exit', (code, signal) => {
    report ??= { type: 'failed', message: `the engine ended with ${signal ?? `code ${code}`}` };
  });
  // Neither the process nor its channel keeps the client alive.
  child.unref();
  child.channel?.unref();
  return () => {
    if (report?.type === 'failed')
      throw new EngineError('start_failed', `${report.message} (log: ${places.logs.engine})`);
    return report === undefined;
  };
}

/** Finds the program or gets it; `onProgress` receives a line every few seconds while that takes time. */
export async function locateTemporalCli(onProgress: (line: string) => void): Promise<FoundTemporalCli> {
  try {
    return await ensureTemporalCli(process.env, onProgress);
  } catch (cause) {
    throw new EngineError('temporal_cli_missing', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What there is now, without getting anything; for `doctor`. `rejected` says why each program found is not taken. */
export function lookForTemporalCli(): FoundTemporalCli | { rejected: string[] } {
  return findTemporalCli(process.env);
}
