import type { Command } from 'commander';
import type { RerunOrder } from '../batch/rerun-row.js';
import type { Cli } from '../io.js';
import { openSession, trustHomeOption, withSettings } from '../open-session.js';
import { ORDER_EXIT_HELP } from '../user-error.js';

/** `rerun`: another render of a row that is done. */
export function defineRerun(command: Command, cli: Cli): void {
  command
    .description(
      'Renders a row that is done once more and pays for it. Both files are kept; what the row feeds takes the new one\n' +
        'from then on. Where the new render fails, the row stays done with its old file and the flag rerun_failed. The\n' +
        'order is queued and the command ends with 0: `callsheet watch BATCH` follows it.',
    )
    .argument('<batch>', "the batch's name")
    .argument('<id>', "the row's id")
    .option('--with-dependents', 'render again what the row feeds, too, and what that feeds')
    .option('-y, --yes', 'submit without asking')
    .addOption(trustHomeOption());
  withSettings(
    command,
    'run',
    ['callsheet rerun shots hero', 'callsheet rerun shots hero --with-dependents --yes'],
    `Rows that the row feeds, and what those feed, get the flag stale_input where they are not rendered again.\n\n${ORDER_EXIT_HELP}`,
  ).action(async (batch: string, id: string) => {
    const session = await openSession(command, cli);
    const { rerunRow } = await import('../batch/rerun-row.js');
    cli.exitCode = await rerunRow(session, batch, id, command.opts<RerunOrder>());
  });
}
