import { Argument, type Command } from 'commander';
import { SHELLS, type Shell, type TypedCommand, typedCommands } from '../completion.js';
import type { Cli } from '../io.js';
import { createTerminal } from '../terminal.js';

/** `completion`: the script that a shell reads to complete what is typed, made from the commands themselves. */
export function defineCompletion(command: Command, cli: Cli): void {
  command
    .description('Writes what a shell needs to complete commands, flags, kinds and the names of batches.')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => createTerminal(cli.io).data((await scriptOf(shell, cli)).trimEnd()));
}

async function scriptOf(shell: Shell, cli: Cli): Promise<string> {
  const commands = typedCommands(await cli.wholeProgram());
  const write: Record<Shell, () => Promise<(commands: readonly TypedCommand[]) => string>> = {
    bash: async () => (await import('../completion.js')).bashCompletion,
    zsh: async () => (await import('../completion.js')).zshCompletion,
    fish: async () => (await import('../completion.js')).fishCompletion,
  };
  return (await write[shell]())(commands);
}

const EXAMPLES = `
Examples:
  eval "$(callsheet completion bash)"              in ~/.bashrc
  eval "$(callsheet completion zsh)"               in ~/.zshrc, after compinit
  callsheet completion fish | source               in config.fish

Exit codes:
  0  done    2  wrong command line`;
