import type { Command } from 'commander';
import pc from 'picocolors';
import { formatDuration } from '../domain/duration.js';
import { safeText, withoutTypedKeys } from '../domain/secret.js';
import type { Cli, Io } from './io.js';

/** What a command says: data on standard output, everything for people on standard error. */
export interface Terminal {
  /** For what people are told, on standard error. */
  colors: ReturnType<typeof pc.createColors>;
  /** For `data`. */
  dataColors: ReturnType<typeof pc.createColors>;
  isQuiet: boolean;
  isVerbose: boolean;
  /** One line of data. */
  data(line: string): void;
  /** One JSON document on a line of its own. */
  json(value: object): void;
  /** For people; silent with `-q`. */
  note(line: string): void;
  /** For people who asked for more with `-v`. */
  detail(line: string): void;
  /** For people, even with `-q`. */
  say(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

interface TerminalOptions {
  quiet?: boolean;
  verbose?: boolean;
}

export function createTerminal(io: Io, options: TerminalOptions = {}): Terminal {
  const colors = pc.createColors(hasColors(io, io.isTerminal));
  const isQuiet = options.quiet === true;
  const isVerbose = options.verbose === true;
  const say = (line: string): void => {
    io.stderr.write(`${line}\n`);
  };
  return {
    colors,
    dataColors: pc.createColors(hasColors(io, io.isDataTerminal)),
    isQuiet,
    isVerbose,
    data: (line) => {
      io.stdout.write(`${line}\n`);
    },
    json: (value) => {
      io.stdout.write(`${JSON.stringify(value)}\n`);
    },
    note: (line) => (isQuiet ? undefined : say(line)),
    detail: (line) => (isVerbose ? say(colors.dim(line)) : undefined),
    say,
    warn: (line) => say(`${colors.yellow('warning:')} ${withoutTypedKeys(line)}`),
    error: (line) => say(`${colors.red('error:')} ${withoutTypedKeys(line)}`),
  };
}

/** NO_COLOR wins over FORCE_COLOR; without either, colours are for terminals. */
function hasColors({ env }: Io, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR } = env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return isTerminal;
}

/** Someone else's words on one line of a terminal. */
export function plain(text: string, lengthMax = 200): string {
  return safeText(text, lengthMax);
}

/** The first sign of life of a command that reads a manifest, before anything large is loaded. */
export function sayChecking(manifest: string, command: Command, cli: Cli): void {
  if (manifest === '') return; // An unset variable: its refusal is all there is to say.
  const what = manifest === '-' ? 'standard input' : plain(manifest, 500);
  createTerminal(cli.io, command.opts<TerminalOptions>()).note(`checking ${what}`);
}

const FIRST_MS = 1_000;
const EVERY_MS = 5_000;

/** Says on standard error what goes on while something takes longer than a second, and every few seconds for how long. */
export async function sayMeanwhile<T>(
  { note }: Pick<Terminal, 'note'>,
  line: string,
  work: () => Promise<T>,
): Promise<T> {
  const sinceMs = Date.now();
  const first = setTimeout(() => note(line), FIRST_MS);
  const more = setInterval(() => note(`${line} (${formatDuration(Date.now() - sinceMs)})`), EVERY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(more);
  }
}

/** A wish is above what the plan allows (`B51`). */
export function warnAbovePlan(
  { warn }: Pick<Terminal, 'warn'>,
  name: 'concurrency' | 'rpm',
  wished: number | null,
  plan: number | null | undefined,
): void {
  if (wished === null || plan == null || wished <= plan) return;
  warn(`B51 ${name} ${wished} exceeds the plan's ${plan}; using ${plan}`);
}
