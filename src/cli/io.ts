import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { EXIT } from './user-error.js';

/** Everything the command line has from its surroundings, so that tests can be the surroundings. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: NodeJS.ProcessEnv;
  /** The order comes from a page: its environment is that of the command which serves the page, maybe long since. */
  isOfPage?: true;
  cwd: string;
  /** A person can answer questions. */
  isInteractive: boolean;
  /** Standard error is a terminal that understands cursor movement, and says how wide it is. */
  isTerminal: boolean;
  /** Standard output is one: it may be a file or a pipe where standard error is a terminal. */
  isDataTerminal: boolean;
  columns(): number;
  rows(): number;
  /** Calls back at every Ctrl-C until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
  /** Calls back at SIGTERM, and where the terminal is closed, until the returned function is called. */
  onTerminate(callback: () => void): () => void;
  /**
   * Calls back when nobody reads standard output any more (`run --json | head -1`). Until somebody asks to be told, the
   * process then ends by itself with 0: whoever reads the answer to a question has seen enough.
   */
  onReaderGone(callback: () => void): void;
  /** Ends at once, without cleaning up. */
  quit(exitCode: number): never;
}

/**
 * The surroundings of a real process. `onCutOff` is called for each write to standard output that fails although
 * somebody may read it: the disk below it is full.
 */
export function processIo(onCutOff: (error: NodeJS.ErrnoException) => void): Io {
  const { env, stdin, stdout, stderr } = process;
  let isGone = false;
  let readerGone = (): void => process.exit(0);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') return onCutOff(error);
    isGone = true;
    readerGone();
  });
  // What could only not be shown changes nothing: the command goes on and ends with its own exit code.
  stderr.on('error', () => undefined);
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    // A terminal without a size, as of a container that was just entered, would show one character a line.
    isTerminal: stderr.isTTY === true && env.TERM !== 'dumb' && stderr.columns !== 0,
    isDataTerminal: stdout.isTTY === true && env.TERM !== 'dumb',
    columns: () => stderr.columns || 80,
    rows: () => stderr.rows || 24,
    onInterrupt: (callback) => onSignal('SIGINT', callback),
    onTerminate: (callback) => {
      const over = [onSignal('SIGTERM', callback), onSignal('SIGHUP', callback)];
      return () => {
        for (const one of over) one();
      };
    },
    onReaderGone: (callback) => {
      readerGone = callback;
      if (isGone) callback();
    },
    quit: (exitCode) => process.exit(exitCode),
  };
}

function onSignal(signal: NodeJS.Signals, callback: () => void): () => void {
  process.on(signal, callback);
  return () => process.off(signal, callback);
}

/**
 * Drains at the first signal. A second Ctrl-C ends at once; of the others several may come, from whoever ends a whole group
 * and from a wrapper that hands its own on, and what is paid is waited for all the same.
 */
export function drainAtSignals(io: Pick<Io, 'onInterrupt' | 'onTerminate' | 'quit'>, drain: () => void): () => void {
  let isDraining = false;
  const begin = (): void => {
    if (isDraining) return;
    isDraining = true;
    drain();
  };
  const over = [io.onInterrupt(() => (isDraining ? io.quit(EXIT.detached) : begin())), io.onTerminate(begin)];
  return () => {
    for (const one of over) one();
  };
}

/** What a command is given besides its own arguments. */
export interface Cli {
  io: Io;
  /** What the process ends with; an action sets it. */
  exitCode: number;
  /** Of the command's settings, once they are loaded. */
  dataFolder?: string;
  /** Runs another command line in this process and gives its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
  /** The program with the flags of every command; for a run only those of the one that is used are loaded. */
  wholeProgram(): Promise<Command>;
}
