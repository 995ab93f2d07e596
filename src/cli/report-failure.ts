import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, formatConfigProblem } from '../config/config-error.js';
import { safeText } from '../domain/secret.js';
import { defaultDataFolder } from '../engine/places.js';
import type { Cli } from './io.js';
import { createTerminal, type Terminal } from './terminal.js';
import { EXIT, UserError } from './user-error.js';

/** Tells a person why a command ended, in one sentence, and gives the exit code. A stack goes to a log file. */
export async function reportFailure(error: unknown, cli: Pick<Cli, 'io' | 'dataFolder'>): Promise<number> {
  const terminal = createTerminal(cli.io);
  const known = exitCodeOf(error);
  if (error instanceof ConfigError) {
    for (const problem of error.problems) terminal.error(formatConfigProblem(problem));
    return known ?? EXIT.configuration;
  }
  const lines = messageOf(error)
    .split('\n')
    .map((line) => safeText(line, 2_000));
  const last = lines.pop();
  for (const line of lines) terminal.say(line);
  terminal.error(last || 'something went wrong without a word');
  if (known !== undefined) return known;
  await logStack(error, cli, terminal);
  return EXIT.defect;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isGone(error)) return PART_GONE;
  if (error.name !== 'ServiceError') return error.message;
  const { cause } = error as { cause?: { details?: unknown } };
  const said = typeof cause?.details === 'string' && cause.details !== '' ? ` (${cause.details})` : '';
  return `the Temporal server could not answer: ${error.message}${said}; \`callsheet doctor\` says what is wrong`;
}

/** A window that follows may be older than what is installed by now. */
const PART_GONE =
  'a part of callsheet is gone: it was updated while this command ran, or is not wholly installed; ' +
  'batches go on without the command: start it again, or install callsheet anew';

function isGone(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** Undefined for what nobody expected: a defect. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UserError) return error.exitCode;
  if (error instanceof ConfigError) {
    return error.problems.every(({ code }) => code === 'B52') ? EXIT.usage : EXIT.configuration;
  }
  if (!(error instanceof Error)) return undefined;
  if (isGone(error)) return EXIT.configuration;
  const code = 'code' in error ? String(error.code) : '';
  // By name: their files load what a command that failed early has no need of.
  switch (error.name) {
    case 'StoreError':
    case 'TempFolderError':
    case 'PayloadKeyError':
      return EXIT.configuration;
    case 'TemporalUnreachableError':
    case 'ServiceError':
      return EXIT.unreachable;
    case 'TemporalSettingsError':
      return EXIT.configuration;
    case 'EngineError':
      if (code === 'stopped_by_order') return EXIT.standsStill;
      return ENGINE_UNREACHABLE.includes(code) ? EXIT.unreachable : EXIT.configuration;
    default:
      return undefined;
  }
}

const ENGINE_UNREACHABLE = ['start_failed', 'start_timeout', 'not_responding', 'engine_gone'];

async function logStack(
  error: unknown,
  { io, dataFolder }: Pick<Cli, 'io' | 'dataFolder'>,
  terminal: Terminal,
): Promise<void> {
  // Before the settings are loaded nobody knows of another one.
  const folder = join(dataFolder ?? (io.env.CALLSHEET_DATA || defaultDataFolder()), 'logs');
  const file = join(folder, 'callsheet.log');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split('\n').map((line) => safeText(line, 500));
  const cause = error instanceof Error && error.cause !== undefined ? { cause: safeText(String(error.cause)) } : {};
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(file, `${JSON.stringify({ at: new Date().toISOString(), stack: lines, ...cause })}\n`, {
      mode: 0o600,
    });
    terminal.error(`this is a defect of callsheet; what is needed to mend it stands in ${file}`);
  } catch {
    terminal.error('this is a defect of callsheet, and its log file cannot be written');
  }
}
