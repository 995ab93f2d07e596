// The built command line as child processes, against an emulator in the test's own process: what really happened is at hand.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/emulator.js';
import type { EngineState } from '../../../src/engine/engine-status.js';
import { PRICES } from './prices.js';

export const BIN = fileURLToPath(new URL('../../../bin/callsheet.js', import.meta.url));
export const KEY = 'sk-svc-emulator';

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Standard error until now. */
  stderr(): string;
  stdout(): string;
}

export interface StartOptions {
  env?: Record<string, string | undefined>;
  stdin?: string;
}

export interface Rig {
  readonly emulator: Emulator;
  /** The working folder of every command; its name has a space. */
  readonly folder: string;
  readonly data: string;
  readonly out: string;
  /** What every command is started with. */
  readonly environment: NodeJS.ProcessEnv;
  /** Starts `callsheet …args` and leaves it running. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs `callsheet …args` to its end. */
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Writes a file into the working folder; gives its name. */
  write(name: string, text: string | Uint8Array): Promise<string>;
  /** What `engine status --json` says; undefined when no engine runs. */
  engine(): Promise<EngineState | undefined>;
  /** Everything that every command has printed until now. */
  printed(): string;
  /** Ends the engine and what still runs, and removes the folder. */
  stop(): Promise<void>;
}

export interface RigOptions {
  emulator?: EmulatorOptions;
  /** The emulator's speed and callsheet's time scale. */
  speed?: number;
  key?: string;
  /** `callsheet.config.json`; the prices of the emulator, an exclusive account and `if-proved` are set already. */
  config?: object;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const speed = options.speed ?? 60;
  const key = options.key ?? KEY;
  const folder = await mkdtemp(join(tmpdir(), 'callsheet e2e '));
  const keys = [{ key, state: 'active' as const }];
  const emulator = await startEmulator({ speed, keys, balanceCredits: '1000', ...options.emulator });
  const data = join(folder, 'data folder');
  const out = join(folder, 'out folder');
  const config = { account: { exclusive: true }, ambiguity: 'if-proved', prices: PRICES, ...options.config };
  await writeFile(join(folder, 'callsheet.config.json'), JSON.stringify(config));
  const environment = {
    ...ownEnvironment(),
    XDG_CONFIG_HOME: join(folder, 'user settings'),
    NO_COLOR: '1',
    CALLSHEET_API_KEY: key,
    CALLSHEET_BASE_URL: emulator.url,
    CALLSHEET_TIME_SCALE: String(speed),
    CALLSHEET_DATA: data,
    CALLSHEET_OUT: out,
  };
  const started = new Set<Running>();
  const printed: string[] = [];
  const rig: Rig = {
    emulator,
    folder,
    data,
    out,
    environment,
    start(args, { env, stdin } = {}) {
      const running = spawnCallsheet(args, { cwd: folder, env: { ...environment, ...env } }, stdin);
      started.add(running);
      void running.ended.then(({ stdout, stderr }) => {
        started.delete(running);
        printed.push(stdout, stderr);
      });
      return running;
    },
    run: (args, startOptions) => rig.start(args, startOptions).ended,
    async write(name, text) {
      await writeFile(join(folder, name), text);
      return name;
    },
    async engine() {
      const { stdout } = await rig.run(['engine', 'status', '--json']);
      const state = JSON.parse(stdout) as EngineState & { running: boolean };
      return state.running ? state : undefined;
    },
    printed: () => printed.join('\n'),
    async stop() {
      if (started.size > 0) tellWhatRuns(started, join(data, 'logs'));
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all([...started].map(({ ended }) => ended));
      // What is under way is of no use to anybody any more.
      await rig.run(['engine', 'stop', '--now']);
      await emulator.close();
      const refused = logLines(join(data, 'logs', 'worker.log')).filter((line) => line.includes(REFUSED_TASK));
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      if (refused.length > 0) throw new Error(`the server refused workflow tasks:\n${lastOf(refused)}`);
    },
  };
  return rig;
}

/** Such a task is repeated for ever: no fault brings it about. */
const REFUSED_TASK = 'invalid command sequence';
const LAST_LINES = 15;

/** What a test that ran out of time leaves to be understood. */
function tellWhatRuns(running: Iterable<Running>, logs: string): void {
  for (const { child, stderr } of running) {
    console.error(`still runs: ${child.spawnargs.slice(2).join(' ')}\n${lastOf(stderr().split('\n'))}`);
  }
  for (const name of ['engine.log', 'worker.log']) {
    console.error(`${name}:\n${lastOf(logLines(join(logs, name)))}`);
  }
}

function lastOf(lines: string[]): string {
  return lines.slice(-LAST_LINES).join('\n');
}

function logLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // No engine was ever started.
    return [];
  }
}

function spawnCallsheet(
  args: readonly string[],
  where: { cwd: string; env: NodeJS.ProcessEnv },
  stdin: string | undefined,
): Running {
  const child = spawn(process.execPath, [BIN, ...args], { ...where, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that ends before it has read everything is not the test's failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin ?? '');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** The test run's own settings must not reach the commands; the Temporal program must. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'CALLSHEET_TEMPORAL_CLI' || !/^(CALLSHEET_|TEMPORAL_|FORCE_COLOR|VITEST|NODE_ENV)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Waits until `look` gives something; fails with the sentence after ten minutes. */
export async function until<T>(sentence: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 600_000;
  while (Date.now() < deadline) {
    const startedAt = performance.now();
    const found = await look();
    if (found !== undefined) return found;
    // A look that is a command takes its share of the processor from what it waits for.
    await sleep(Math.max(50, 2 * (performance.now() - startedAt)));
  }
  throw new Error(`this did not come about within ten minutes: ${sentence}`);
}
