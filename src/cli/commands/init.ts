import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { createTerminal } from '../terminal.js';

/** `init`: a sample manifest on standard output. */
export function defineInit(command: Command, cli: Cli): void {
  command
    .description('Writes a small valid manifest of one kind to standard output.')
    .argument('<kind>', 'such as svc/image; `callsheet kinds` lists them')
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet init svc/image > shots.csv\n  callsheet init vendor-f/video | callsheet plan - --name clips\n\nExit codes:\n  0  done    2  unknown kind`,
    )
    .action(async (text: string) => {
      const { checkedKind } = await import('../plan/manifest-flags.js');
      const { sampleManifest } = await import('../../manifest/describe-kind.js');
      createTerminal(cli.io).data(sampleManifest(checkedKind(text)).trimEnd());
    });
}
