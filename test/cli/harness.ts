import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../src/cli/io.js';
import { runCli } from '../../src/cli/run-cli.js';

/** A command line without a process: what it was given, what it said, how it ended. */
export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliSurroundings {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  stdin?: string;
  isTerminal?: boolean;
  isDataTerminal?: boolean;
  /** Called with every piece of output, for tests that act on it. */
  onOutput?: (text: string) => void;
  /** Receives the function that stands for Ctrl-C. */
  onInterruptible?: (interrupt: () => void) => void;
}

/** A folder of its own for a test; nothing of the user's settings is seen from it. */
export function workFolder(): string {
  return mkdtempSync(join(tmpdir(), 'callsheet-cli-'));
}

/** Runs a command line in this process. */
export async function cli(args: string[], surroundings: CliSurroundings = {}): Promise<CliResult> {
  const cwd = surroundings.cwd ?? workFolder();
  const output = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += String(chunk);
        surroundings.onOutput?.(String(chunk));
        done();
      },
    });
  const io: Io = {
    stdin: Readable.from(surroundings.stdin === undefined ? [] : [Buffer.from(surroundings.stdin)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: { XDG_CONFIG_HOME: join(cwd, 'user-settings'), CALLSHEET_DATA: join(cwd, 'data'), ...surroundings.env },
    cwd,
    isInteractive: false,
    isTerminal: surroundings.isTerminal === true,
    isDataTerminal: surroundings.isDataTerminal === true,
    columns: () => 100,
    rows: () => 30,
    onInterrupt: (callback) => {
      surroundings.onInterruptible?.(callback);
      return () => undefined;
    },
    onTerminate: () => () => undefined,
    onReaderGone: () => undefined,
    quit: (exitCode) => {
      throw new Error(`quit with ${exitCode}`);
    },
  };
  const exitCode = await runCli(args, io);
  // The folder's name is another one in every run.
  const shown = (text: string): string => text.replaceAll(`${cwd}/`, '');
  return { exitCode, stdout: shown(output.stdout), stderr: shown(output.stderr) };
}
