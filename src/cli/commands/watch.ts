import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession } from '../open-session.js';
import { addSettings } from '../settings-options.js';
import { RUN_EXIT_HELP } from '../user-error.js';

/** `watch`: follows a batch again, starting the engine when it does not run. */
export function defineWatch(command: Command, cli: Cli): void {
  addSettings(
    command
      .description('Follows a batch until it ends, as `run` does. Ctrl-C only stops watching.')
      .argument('<batch>', "the batch's name"),
    'run',
  )
    .addHelpText('after', `\nExamples:\n  callsheet watch shots\n  callsheet watch shots --json\n\n${RUN_EXIT_HELP}`)
    .action(async (batch: string) => {
      const session = await openSession(command, cli);
      const { followAgain } = await import('../batch/finish-without-work.js');
      cli.exitCode = await followAgain(session, batch);
    });
}
