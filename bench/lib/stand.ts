import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmulatorOptions, Truth } from '../../emulator/emulator.js';
import { say } from './bench.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin', 'callsheet.js');
const emulatorEntry = fileURLToPath(new URL('../children/emulator-process.ts', import.meta.url));
export const KEY = 'sk-svc-emulator';

/** The built command line with an engine of its own, and the service's double in a process of its own. */
export interface Stand {
  /** Removed at the end; on the disk of the checkout. */
  folder: string;
  dataFolder: string;
  /** Runs a command to its end; throws with what it said where it fails. Gives its wall time. */
  callsheet(...args: string[]): Promise<{ seconds: number }>;
  /** Starts a command and leaves it running; its standard output is read by the caller. */
  start(...args: string[]): ChildProcess;
  /** What really happened at the service until now. */
  truth(): Promise<Truth>;
  /** How many jobs there have been at the service until now: quick where `truth` would be long. */
  jobCount(): Promise<number>;
  /** One of the double's `/_control/` endpoints. */
  steer(action: string, body: unknown): Promise<void>;
  /** Ends everything; `keep` leaves the folder for a look at what went wrong. */
  close(keep?: boolean): Promise<void>;
}

export interface StandOptions {
  emulator: EmulatorOptions;
  limits?: { rpm: number; concurrent: number } | undefined;
}

export type Service = Pick<Stand, 'truth' | 'jobCount' | 'steer'> & { url: string; close(): Promise<void> };

/** The service's double alone, for whoever calls it. */
export async function startService({ emulator, limits }: StandOptions): Promise<Service> {
  const { url, close } = await startEmulatorProcess({ ...emulator, control: true });
  const steer = (action: string, body: unknown): Promise<void> => post(`${url}/_control/${action}`, body);
  if (limits !== undefined) await steer('limits', limits);
  const ask = async (page: string): Promise<unknown> => (await fetch(`${url}/_truth${page}`)).json();
  return {
    ...{ url, close, steer },
    truth: async () => (await ask('')) as Truth,
    jobCount: async () => ((await ask('?section=jobs&limit=0')) as { total: number }).total,
  };
}

export async function openStand({ emulator, limits }: StandOptions): Promise<Stand> {
  const folder = await benchFolder();
  const service = await startService({ emulator, limits });
  const timeScale = emulator.speed ?? 1;
  const dataFolder = join(folder, 'data');
  const environment = {
    ...foreignEnvironment(),
    CALLSHEET_API_KEY: KEY,
    CALLSHEET_BASE_URL: service.url,
    CALLSHEET_TIME_SCALE: String(timeScale),
    CALLSHEET_DATA: dataFolder,
  };
  return {
    folder,
    dataFolder,
    callsheet: (...args) => runCommand(args, folder, environment),
    start: (...args) =>
      spawn(process.execPath, [bin, ...args], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
    steer: service.steer,
    truth: service.truth,
    jobCount: service.jobCount,
    async close(keep = false) {
      await runCommand(['engine', 'stop'], folder, environment).catch((error) => say(String(error)));
      await service.close();
      if (keep) say(`everything stays in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A new folder on the disk of the checkout: a temporary folder is often one in memory, where nothing is ever synced. */
export async function benchFolder(): Promise<string> {
  const above = join(root, '.callsheet');
  await mkdir(above, { recursive: true });
  return mkdtemp(join(above, 'bench-'));
}

/** The engine and its settings are the benchmark's own, whatever the caller's shell is set to. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  const own = /^(CALLSHEET|TEMPORAL)_/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name === 'CALLSHEET_TEMPORAL_CLI' || !own.test(name)),
  );
}

async function runCommand(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<{ seconds: number }> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`callsheet ${args[0]} ended with ${code}: ${said.trim()}`);
  return { seconds: (performance.now() - startedMs) / 1_000 };
}

/** In a process of its own: its clock must not wait for the benchmark's work. */
async function startEmulatorProcess(options: EmulatorOptions): Promise<{ url: string; close(): Promise<void> }> {
  const child = fork(emulatorEntry, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit');
  const url = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    ended.then(() => Promise.reject(new Error('the emulator ended before it listened'))),
  ]);
  return {
    url,
    async close() {
      child.disconnect();
      await ended;
    },
  };
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
