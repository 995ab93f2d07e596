import { type Command, Option } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { READ_EXIT_HELP } from '../user-error.js';
import { amount } from '../views/counts.js';

/** `clean`: removes what finished batches left behind, never media. */
export function defineClean(command: Command, cli: Cli): void {
  command
    .description(
      'Removes what killed processes left of finished batches: parts of downloads, temporary files, rows of checks that\n' +
        'broke off; in a bucket, uploads that broke off and copies of inputs; and what was on its way into a bucket in\n' +
        "this machine's folder for temporary files. Media, results and records stay. Without a batch, of every finished\n" +
        'batch of the account.',
    )
    .argument('[batch]', "the batch's name")
    .addOption(new Option('--dry-run', 'only say what would go'));
  withSettings(command, 'connection', ['callsheet clean --dry-run', 'callsheet clean shots'], READ_EXIT_HELP).action(
    async (batch: string | undefined) =>
      clean(await openSession(command, cli), batch, command.opts<{ dryRun?: boolean }>().dryRun === true),
  );
}

async function clean(session: Session, batch: string | undefined, isDryRun: boolean): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { openSights } = await import('../access/sights.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { cleanBatches } = await import('../batch/clean-batches.js');
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  if (batch !== undefined) await knownBatch(session, batch, access);
  const batches = batch === undefined ? await access.home.batches() : [batch];
  const sights = await openSights(session);
  try {
    const { removed, bytes, skipped } = await cleanBatches(access, sights, batches, isDryRun);
    if (session.isJson) return terminal.json({ schema: 1, dryRun: isDryRun, removed, bytes, skipped });
    for (const { path, bytes: size } of removed) terminal.data(`${plain(path, 4_000)} (${size} bytes)`);
    for (const name of skipped) terminal.note(`'${name}' is not finished: nothing of it is touched`);
    const verb = isDryRun ? 'would go' : 'removed';
    terminal.note(`${amount(removed.length, 'leftover')} ${verb}, ${(bytes / 1e6).toFixed(1)} MB`);
  } finally {
    await sights?.close();
  }
}
