import type { Command } from 'commander';
import { KINDS } from '../kinds/facts.js';

/** What can be typed behind a command: what the completions of all shells are made from. */
export interface TypedCommand {
  /** The words that lead here: `review show`; empty for the program itself. */
  path: string;
  subcommands: { name: string; help: string }[];
  flags: TypedFlag[];
  /** What its first argument is: names to choose from, a batch of the account, or a file. */
  argument: readonly string[] | 'batch' | 'file';
}

interface TypedFlag {
  /** `--out`. */
  long: string;
  help: string;
  takesValue: boolean;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Lists the batches of the account, one a line; the program as it was typed stands before it. */
const LIST_BATCHES = 'list --names 2>/dev/null';

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

/** What the scripts of bash and zsh hold the typed words against: each word with a blank before it. */

function wordsOf({ path }: TypedCommand): string {
  return path === '' ? '' : ` ${path}`;
}

/** Every command below the program. */
function commandPatterns(commands: readonly TypedCommand[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map((command) => `"${wordsOf(command)}"`)
    .join(' | ');
}

/** Every flag that takes a value, behind its command. */
function valuedPatterns(commands: readonly TypedCommand[]): string {
  const valued = commands.flatMap((command) =>
    command.flags.filter(({ takesValue }) => takesValue).map(({ long }) => `"${wordsOf(command)} ${long}"`),
  );
  return valued.join(' | ');
}

/** The completion of bash: `eval "$(callsheet completion bash)"`. Where nothing is known, bash bashOffers files. */
export function bashCompletion(commands: readonly TypedCommand[]): string {
  const cases = commands.map((command) => `    "${wordsOf(command)}") ${bashOffers(command)} ;;`);
  return `# callsheet completion for bash
_callsheet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" names="" flags="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${commandPatterns(commands)}) at="$at $word" ;;
    esac
  done
  COMPREPLY=()
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
    ${valuedPatterns(commands)}) return ;;
  esac
  case "$at" in
${cases.join('\n')}
  esac
  [[ $current == -* ]] && names="$flags"
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _callsheet callsheet callsheet.js
`;
}

function bashOffers({ subcommands, flags, argument }: TypedCommand): string {
  const given = `flags="${flags.map(({ long }) => long).join(' ')}"`;
  if (argument === 'batch') return `${given} names="$("\${COMP_WORDS[0]}" ${LIST_BATCHES})"`;
  const names = [...subcommands.map(({ name }) => name), ...(argument === 'file' ? [] : argument)];
  return names.length === 0 ? given : `${given} names="${names.join(' ')}"`;
}

/** The completion of zsh: `eval "$(callsheet completion zsh)"`, or a file `_callsheet` in a folder of `fpath`. */
export function zshCompletion(commands: readonly TypedCommand[]): string {
  const cases = commands.map((command) => `    ("${wordsOf(command)}") ${zshOffers(command)} ;;`);
  return `#compdef callsheet callsheet.js
_callsheet() {
  local at="" word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${commandPatterns(commands)}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
    (${valuedPatterns(commands)}) _files; return ;;
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o flag flags
  elif (( $#names )); then
    _describe value names
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _callsheet ]]; then
  _callsheet "$@"
else
  compdef _callsheet callsheet callsheet.js
fi
`;
}

function zshOffers({ subcommands, flags, argument }: TypedCommand): string {
  const given = `flags=(${flags.map(({ long, help }) => described(long, help)).join(' ')})`;
  if (argument === 'batch') return `${given}; names=(\${(f)"$("\${words[1]}" ${LIST_BATCHES})"})`;
  const names = [
    ...subcommands.map(({ name, help }) => described(name, help)),
    ...(argument === 'file' ? [] : argument),
  ];
  return `${given}; names=(${names.join(' ')})`;
}

function described(name: string, help: string): string {
  return `'${name}:${help.replaceAll("'", "'\\''")}'`;
}

/** The completion of fish: `callsheet completion fish | source`. */
export function fishCompletion(commands: readonly TypedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# callsheet completion for fish
function __callsheet_at --description 'Whether the command that is being typed is the given one'
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${known.join(' ')}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
function __callsheet_batches --description 'The batches of the account'
  set -l program (commandline -opc)[1]
  $program ${LIST_BATCHES}
end
for program in callsheet callsheet.js
  complete -c $program -f
${commands.flatMap(linesOf).join('\n')}
end
`;
}

function linesOf({ path, subcommands, flags, argument }: TypedCommand): string[] {
  const start = `  complete -c $program -n ${quoted(`__callsheet_at ${quoted(path)}`)}`;
  const names = typeof argument === 'string' ? [] : argument;
  return [
    ...subcommands.map(({ name, help }) => `${start} -a ${name} -d ${quoted(help)}`),
    ...(argument === 'batch' ? [`${start} -a '(__callsheet_batches)'`] : []),
    ...(argument === 'file' ? [`${start} -F`] : []),
    ...(names.length === 0 ? [] : [`${start} -a ${quoted(names.join(' '))}`]),
    ...flags.map(({ long, help, takesValue }) => {
      return `${start} -l ${long.slice(2)}${takesValue ? ' -r -F' : ''} -d ${quoted(help)}`;
    }),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
