// The built command line, run in this process: thousands of commands a minute need no start of Node each.
import { existsSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../../src/cli/io.js';
import type { runCli } from '../../src/cli/run-cli.js';

/** How a command ended. */
export interface Ended {
  /** `hung`: it did not end, whatever it was told. */
  exitCode: number | 'hung';
  stdout: string;
  stderr: string;
  tookMs: number;
}

export interface Surroundings {
  cwd: string;
  env: NodeJS.ProcessEnv;
  stdin: string;
  /** When Ctrl-C comes, after the start. */
  interruptAfterMs: number;
}

/** Whoever does not end after the first Ctrl-C gets a second one, and then is given up. */
const SECOND_AFTER_MS = 20_000;
const GIVEN_UP_AFTER_MS = 240_000;
const LISTENS_EVERY_MS = 100;

const built = new URL('../../dist/src/cli/run-cli.js', import.meta.url);
let loaded: Promise<{ runCli: typeof runCli }> | undefined;

/** Runs one command line of the build to its end. */
export async function runBuilt(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  if (!existsSync(built)) throw new Error('the program is not built: `npm run build` builds it');
  loaded ??= import(built.href) as Promise<{ runCli: typeof runCli }>;
  const program = await loaded;
  const startedMs = performance.now();
  const surrounded = surround(surroundings);
  const over = new AbortController();
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: over.signal });
  const nudge = async (): Promise<void> => {
    await wait(surroundings.interruptAfterMs);
    // Before a command listens, Ctrl-C would end the process: here it comes as soon as somebody does.
    while (!surrounded.interrupt()) await wait(LISTENS_EVERY_MS);
    await wait(SECOND_AFTER_MS);
    surrounded.interrupt();
  };
  const givenUp = wait(GIVEN_UP_AFTER_MS).then(() => 'hung' as const);
  for (const waiting of [nudge(), givenUp]) waiting.catch(() => undefined);
  const exitCode = await Promise.race([program.runCli(args, surrounded.io), surrounded.quit, givenUp]);
  over.abort();
  return { exitCode, ...surrounded.said(), tookMs: performance.now() - startedMs };
}

function surround({ cwd, env, stdin }: Surroundings) {
  const output = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof output): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += String(chunk);
        done();
      },
    });
  const interrupts = new Set<() => void>();
  let leave: (exitCode: number) => void = () => undefined;
  const quit = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const io: Io = {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env,
    cwd,
    isInteractive: false,
    isTerminal: false,
    isDataTerminal: false,
    columns: () => 100,
    rows: () => 30,
    onInterrupt: (callback) => {
      interrupts.add(callback);
      return () => interrupts.delete(callback);
    },
    onTerminate: () => () => undefined,
    onReaderGone: () => undefined,
    quit: (exitCode) => {
      leave(exitCode);
      throw new QuitError();
    },
  };
  return {
    io,
    quit,
    said: () => ({ ...output }),
    /** False where nobody listens. */
    interrupt: () => {
      const listeners = [...interrupts];
      for (const callback of listeners) ignoringQuit(callback);
      return listeners.length > 0;
    },
  };
}

/** Stands for the end of the process, which nothing that follows sees. */
class QuitError extends Error {
  override readonly name = 'QuitError';
}

function ignoringQuit(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    if (!(error instanceof QuitError)) throw error;
  }
}
