import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession } from '../open-session.js';
import type { Session } from '../session.js';
import { addSettings } from '../settings-options.js';
import { EXIT, STATUS_EXIT_HELP } from '../user-error.js';

/** `status`: where one batch stands, without starting anything. */
export function defineStatus(command: Command, cli: Cli): void {
  addSettings(
    command
      .description('Shows where a batch stands. Starts nothing: without an engine the records in the home are read.')
      .argument('<batch>', "the batch's name"),
    'connection',
  )
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet status shots\n  callsheet status shots --json\n\n${STATUS_EXIT_HELP}`,
    )
    .action(async (batch: string) => {
      cli.exitCode = await showStatus(await openSession(command, cli), batch);
    });
}

/** Gives the exit code. */
async function showStatus(session: Session, batch: string): Promise<number> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { joinWork } = await import('../access/work-access.js');
  const { unservedText } = await import('../access/work-access.js');
  const { fullDisk } = await import('../batch/prove-places.js');
  const { readBatchState } = await import('../batch/batch-state.js');
  const { statusJson, statusLines } = await import('../views/status-lines.js');
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  await knownBatch(session, access, batch);
  const work = await joinWork(session);
  try {
    const report = await readBatchState(access, work, batch);
    if (report === undefined) return EXIT.done;
    const unserved = work && (await unservedText(session, work));
    const blocked =
      [report.blocked, unserved, await fullDisk(session)].filter((text) => text != null).join('; ') || null;
    const shown = { ...report, blocked };
    if (session.isJson) terminal.json(statusJson(session, shown));
    else for (const line of statusLines(session, shown)) terminal.data(line);
    return report.state === 'not running' ? EXIT.standsStill : EXIT.done;
  } finally {
    await work?.close();
  }
}
