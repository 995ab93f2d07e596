// Every command with its arguments and flags, read from the program's own definitions.
import { Command, type Option } from 'commander';
import { COMMANDS } from '../../src/cli/commands.js';
import type { Cli } from '../../src/cli/io.js';
import type { PlacedSetting } from '../../src/config/setting.js';
import { SETTINGS } from '../../src/config/settings.js';

/** A command that can be run: `review show`. */
export interface Leaf {
  path: string;
  command: Command;
  options: readonly Option[];
  /** What its help says it may end with; empty where the help says nothing. */
  exitCodes: readonly number[];
}

/** The commands in the order of the help. */
export async function allLeaves(): Promise<Leaf[]> {
  const found: Leaf[] = [];
  for (const entry of COMMANDS) {
    const command = new Command(entry.name);
    // Nothing is run: the definitions alone are looked at.
    (await entry.load())(command, undefined as unknown as Cli);
    found.push(...leavesOf(command, entry.name));
  }
  return found;
}

function leavesOf(command: Command, path: string): Leaf[] {
  if (command.commands.length > 0) return command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`));
  return [{ path, command, options: command.options, exitCodes: codesInHelp(command) }];
}

function codesInHelp(command: Command): number[] {
  let text = '';
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  const [, codes = ''] = text.split('Exit codes:');
  return [...codes.matchAll(/(?:^|\s{2,})(\d{1,3})\s{2,}\S/gm)].map(([, code]) => Number(code));
}

/** `--out`; every option has a long form. */
export function longOf(option: Option): string {
  if (option.long == null) throw new Error(`${option.flags} has no long form`);
  return option.long;
}

/** The setting that a flag stands for. */
export function settingOf(option: Option): PlacedSetting | undefined {
  return SETTINGS.find(({ flag }) => longOf(option) === `--${flag}` || longOf(option) === `--no-${flag}`);
}

/** True for a flag that can change nothing but how much is said or asked. */
export function isHarmless(option: Option): boolean {
  return !option.required && !option.optional && !option.negate && settingOf(option) === undefined;
}
