import { type Command, Option } from 'commander';
import type { ApprovalOrder } from '../batch/approve-batch.js';
import type { Cli } from '../io.js';
import { openSession, trustHomeOption, withSettings } from '../open-session.js';
import { RUN_EXIT_HELP } from '../user-error.js';

const EXAMPLES = [
  'callsheet approve shots',
  'callsheet approve shots --max-credits 12',
  'callsheet approve shots --max-credits 12 --yes',
  'callsheet approve shots --yes --unpriced',
];

/** `approve`: the rest of a batch of which a sample ran. */
export function defineApprove(command: Command, cli: Cli): void {
  command
    .description(
      'Shows what the rest of a sampled batch will cost by the prices that the sample measured, asks, and runs it.\n' +
        'The upper end of that becomes the budget of the batch, or a lower --max-credits. No row of the sample is paid again.',
    )
    .argument('<batch>', "the batch's name")
    .option('-y, --yes', 'run the rest without asking; --max-credits says what it may cost')
    .option('--unpriced', 'with --yes: run rows of which nobody knows the price, without a budget')
    // The page names what a person saw.
    .addOption(new Option('--generation <hash>', 'only while this is the manifest in force').hideHelp())
    .addOption(trustHomeOption());
  const ending = `Without a terminal, and with --yes, --max-credits is needed, or --unpriced where a price is not known.\n\n${RUN_EXIT_HELP}`;
  withSettings(command, 'run', EXAMPLES, ending).action(async (batch: string) => {
    const session = await openSession(command, cli);
    const { approveBatch } = await import('../batch/approve-batch.js');
    cli.exitCode = await approveBatch(session, batch, command.opts<ApprovalOrder>());
  });
}
