import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import { RUN_EXIT_HELP } from '../user-error.js';

/** `watch`: follows a batch again, starting the engine when it does not run. */
export function defineWatch(command: Command, cli: Cli): void {
  command
    .description('Follows a batch until it ends, as `run` does. Ctrl-C only stops watching.')
    .argument('<batch>', "the batch's name");
  withSettings(command, 'run', ['callsheet watch shots', 'callsheet watch shots --json'], RUN_EXIT_HELP).action(
    async (batch: string) => {
      const session = await openSession(command, cli);
      const { followAgain } = await import('../batch/submit-and-follow.js');
      cli.exitCode = await followAgain(session, batch);
    },
  );
}
