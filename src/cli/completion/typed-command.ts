import type { Command } from 'commander';
import { KINDS } from '../../kinds/facts.js';

/** What can be typed behind a command: what the completions of all shells are made from. */
export interface TypedCommand {
  /** The words that lead here: `review show`; empty for the program itself. */
  path: string;
  subcommands: { name: string; help: string }[];
  flags: TypedFlag[];
  /** What its first argument is: names to choose from, a batch of the account, or a file. */
  argument: readonly string[] | 'batch' | 'file';
}

export interface TypedFlag {
  /** `--out`. */
  long: string;
  help: string;
  takesValue: boolean;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Lists the batches of the account, one a line; the program as it was typed stands before it. */
export const LIST_BATCHES = 'list --names 2>/dev/null';

/** A command and everything below it; hidden flags are left out. */
export function typedCommands(command: Command, path = ''): TypedCommand[] {
  const below = command.commands.flatMap((one) => typedCommands(one, `${path} ${one.name()}`.trimStart()));
  const subcommands = command.commands.map((one) => ({ name: one.name(), help: helpOf(one.summary(), one) }));
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description, required, optional }) =>
      long == null ? [] : [{ long, help: description, takesValue: required || optional }],
    );
  return [{ path, subcommands, flags, argument: argumentOf(command) }, ...below];
}

function helpOf(summary: string, command: Command): string {
  return summary || (command.description().split(/\.( |$)/)[0] ?? '');
}

function argumentOf(command: Command): TypedCommand['argument'] {
  const [first] = command.registeredArguments;
  if (first === undefined) return [];
  if (first.argChoices) return first.argChoices;
  if (first.name() === 'kind') return KINDS;
  if (first.name() === 'batch') return 'batch';
  return first.name() === 'manifest' ? 'file' : [];
}
