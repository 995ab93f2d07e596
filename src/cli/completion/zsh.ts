import { commandPatterns, valuedPatterns, wordsOf } from './case-patterns.js';
import { LIST_BATCHES, type TypedCommand } from './typed-command.js';

/** The completion of zsh: `eval "$(callsheet completion zsh)"`, or a file `_callsheet` in a folder of `fpath`. */
export function zshCompletion(commands: readonly TypedCommand[]): string {
  const cases = commands.map((command) => `    ("${wordsOf(command)}") ${offers(command)} ;;`);
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

function offers({ subcommands, flags, argument }: TypedCommand): string {
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
