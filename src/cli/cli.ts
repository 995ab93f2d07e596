import type { Command } from 'commander';
import type { Io } from './io.js';

/** What a command is given besides its own arguments. */
export interface Cli {
  io: Io;
  /** What the process ends with; an action sets it. */
  exitCode: number;
  /** Runs another command line in this process and gives its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
  /** The program with the flags of every command; for a run only those of the one that is used are loaded. */
  wholeProgram(): Promise<Command>;
}
