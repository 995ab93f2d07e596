import type { TypedCommand } from './typed-command.js';

/** What the scripts of bash and zsh hold the typed words against: each word with a blank before it. */

export function wordsOf({ path }: TypedCommand): string {
  return path === '' ? '' : ` ${path}`;
}

/** Every command below the program. */
export function commandPatterns(commands: readonly TypedCommand[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map((command) => `"${wordsOf(command)}"`)
    .join(' | ');
}

/** Every flag that takes a value, behind its command. */
export function valuedPatterns(commands: readonly TypedCommand[]): string {
  const valued = commands.flatMap((command) =>
    command.flags.filter(({ takesValue }) => takesValue).map(({ long }) => `"${wordsOf(command)} ${long}"`),
  );
  return valued.join(' | ');
}
