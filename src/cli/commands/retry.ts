import type { Command } from 'commander';
import { retriesOption, retryClasses } from '../batch/run-flags.js';
import type { Cli } from '../io.js';
import { openSession, trustHomeOption, withSettings } from '../open-session.js';
import { RUN_EXIT_HELP } from '../user-error.js';

interface RetryFlags {
  class?: string;
  retries: number;
  acceptInputs?: boolean;
  yes?: boolean;
  trustHome?: boolean;
}

/** `retry`: failed and cancelled rows again. */
export function defineRetry(command: Command, cli: Cli): void {
  command
    .description('Runs failed and cancelled rows of a batch again and follows them. What was billed is not paid again.')
    .argument('<batch>', "the batch's name")
    .option('--class <class>', 'only rows of this class (provider, moderation, …) or reason_code; several with commas')
    .addOption(retriesOption())
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
    const flags = command.opts<RetryFlags>();
    const retry = { beforeMs: Date.now(), classes: retryClasses(flags.class) };
    const { retryBatch } = await import('../batch/retry-batch.js');
    const {
      retries,
      yes: isSaidYes = false,
      trustHome: trustsHome = false,
      acceptInputs: acceptsInputs = false,
    } = flags;
    cli.exitCode = await retryBatch(session, batch, { retry, retries, isSaidYes, trustsHome, acceptsInputs });
  });
}
