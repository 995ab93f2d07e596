import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings, yesOption } from '../open-session.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** `cancel`: no new submits; what the service accepted is still fetched. */
export function defineCancel(command: Command, cli: Cli): void {
  command
    .description(
      'Submits nothing new for a batch and says how many jobs still run. Those are paid: they render on and are fetched.',
    )
    .argument('<batch>', "the batch's name")
    .addOption(yesOption());
  const ending = `\`callsheet retry shots\` runs cancelled rows later.\n\n${READ_EXIT_HELP}`;
  withSettings(command, 'connection', ['callsheet cancel shots'], ending).action(async (batch: string) => {
    const session = await openSession(command, cli);
    const { cancelRunning } = await import('../batch/cancel-batch.js');
    await cancelRunning(session, batch);
  });
}
