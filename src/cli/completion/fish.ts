import { LIST_BATCHES, type TypedCommand } from './typed-command.js';

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
