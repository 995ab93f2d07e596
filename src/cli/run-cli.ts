import { Command, CommanderError } from 'commander';
import { EVERY_CLASS } from '../domain/reasons.js';
import { safeText, withoutTypedKeys } from '../domain/secret.js';
import { productVersion } from '../package-root.js';
import { COMMANDS } from './commands.js';
import type { Cli, Io } from './io.js';
import { messageOf, reportFailure } from './report-failure.js';
import { EXIT, UserError } from './user-error.js';

/** Runs one command line and gives its exit code; never throws and never ends the process. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const cli: Cli = { io, exitCode: EXIT.done, run: runCli, wholeProgram: () => buildProgram(undefined, cli) };
  try {
    const words = normalized(args);
    const program = await buildProgram(words[0], cli);
    await program.parseAsync(words, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    // Help and version are no errors; every wrong command line is 2.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const exitCode = error instanceof CommanderError ? EXIT.usage : await reportFailure(error, cli);
    if (args.includes('--json')) tellMachine(error, exitCode, io);
    return exitCode;
  }
}

/** Whoever reads the JSON learns of the failure there, too. */
function tellMachine(error: unknown, exitCode: number, io: Io): void {
  const text = messageOf(error).replace(/^error: /, '');
  const lines = text.split('\n').map((line) => safeText(line, 2_000));
  const facts = { schema: 1, type: 'error', at: new Date().toISOString(), exitCode };
  const problems = error instanceof UserError && error.problems !== undefined ? { problems: error.problems } : {};
  const said = { message: lines.at(-1), details: lines.slice(0, -1), ...problems };
  io.stdout.write(`${JSON.stringify({ ...facts, ...said })}\n`);
}

/** What they stand for where they are given alone; an empty value is one that somebody's variable left out. */
const BARE_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--retry-failed', `--retry-failed=${EVERY_CLASS}`],
  ['--reuse', '--reuse='],
]);

/** `help run` is `run --help`; these flags alone have no value: what stands behind them is not theirs. */
function normalized(args: readonly string[]): string[] {
  const words = args.map((one) => BARE_FLAGS.get(one) ?? one);
  if (words.length === 0) return ['--help'];
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  // Asked for the help of a command that there is none of, commander would show the whole program's and end with 0.
  const [name = ''] = asked;
  const isUnknown = name !== 'help' && !name.startsWith('-') && !COMMANDS.some((entry) => entry.name === name);
  return isUnknown ? [name] : asked;
}

/** Loads the one command that is used, else every one; the others are only lines of the help. */
async function buildProgram(wanted: string | undefined, cli: Cli): Promise<Command> {
  const program = configured(new Command('callsheet'), cli.io)
    .description('Runs a manifest of generation jobs through one paid media service, durably, and never pays twice.')
    .usage('<command> [options]')
    .version(productVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help for a command')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  for (const entry of COMMANDS) {
    const command = configured(program.command(entry.name), cli.io).helpGroup(entry.group).summary(entry.summary);
    if (wanted === undefined || wanted === entry.name) (await entry.load())(command, cli);
    else if (entry.usage !== '') command.usage(entry.usage);
  }
  return program;
}

function configured(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (one) => `${one.name()} ${usageOf(one)}`.trim(),
      optionTerm: (option) => option.flags.replace(/ \[(class|what)\]/, '[=$1]'),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // A key that was pasted at the wrong place is no word to repeat.
      writeErr: (text) => io.stderr.write(withoutTypedKeys(text)),
      getOutHelpWidth: () => Math.min(io.columns(), 110),
      getErrHelpWidth: () => Math.min(io.columns(), 110),
      outputError: (text, write) => write(`${text.trimEnd()}\n${hintFor(command)}\n`),
    });
}

function usageOf(command: Command): string {
  // `engine status` has the name of a command of its own, and takes nothing.
  const isNested = command.parent?.parent != null;
  return isNested ? '' : (COMMANDS.find((entry) => entry.name === command.name())?.usage ?? '');
}

function hintFor(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  return `\`${names.join(' ')} --help\` shows what it takes.`;
}

const EXAMPLES = `
Examples:
  callsheet init svc/image > shots.csv             a manifest to start from
  callsheet plan shots.csv                         what it would cost
  callsheet run shots.csv --out ./out              run it; again to continue
  callsheet emulator                               rehearse without spending

Exit codes: 0 done; \`callsheet run --help\` lists the others.`;
