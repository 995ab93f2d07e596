import { commandPatterns, valuedPatterns, wordsOf } from './case-patterns.js';
import { LIST_BATCHES, type TypedCommand } from './typed-command.js';

/** The completion of bash: `eval "$(callsheet completion bash)"`. Where nothing is known, bash offers files. */
export function bashCompletion(commands: readonly TypedCommand[]): string {
  const cases = commands.map((command) => `    "${wordsOf(command)}") ${offers(command)} ;;`);
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

function offers({ subcommands, flags, argument }: TypedCommand): string {
  const given = `flags="${flags.map(({ long }) => long).join(' ')}"`;
  if (argument === 'batch') return `${given} names="$("\${COMP_WORDS[0]}" ${LIST_BATCHES})"`;
  const names = [...subcommands.map(({ name }) => name), ...(argument === 'file' ? [] : argument)];
  return names.length === 0 ? given : `${given} names="${names.join(' ')}"`;
}
