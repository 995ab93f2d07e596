import type { Command } from 'commander';
import type { RetryFlags } from '../batch/retry-batch.js';
import { retriesOption } from '../batch/run-flags.js';
import type { Cli } from '../io.js';
import { openSession, trustHomeOption, withSettings } from '../open-session.js';
import { RUN_EXIT_HELP } from '../user-error.js';

/** `retry`: failed and cancelled rows again. */
export function defineRetry(command: Command, cli: Cli): void {
  command
    .description('Runs failed and cancelled rows of a batch again and follows them. What was billed is not paid again.')
    .argument('<batch>', "the batch's name")
    .option('--class <class>', 'only rows of this class (provider, moderation, …) or reason_code; several with commas')
    .addOption(retriesOption(' (default: as the batch was run)'))
    .option('--accept-inputs', 'files that feed rows and were changed since they were rendered are taken as they lie')
    .option('-y, --yes', 'submit without asking')
    .addOption(trustHomeOption());
  withSettings(
    command,
    'run',
    ['callsheet retry shots', 'callsheet retry shots --class provider --yes'],
    RUN_EXIT_HELP,
  ).action(async (batch: string) => {
    const session = await openSession(command, cli);
    const { retryBatch } = await import('../batch/retry-batch.js');
    cli.exitCode = await retryBatch(session, batch, command.opts<RetryFlags>());
  });
}
