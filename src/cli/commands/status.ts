import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, STATUS_EXIT_HELP } from '../user-error.js';

/** `status`: where one batch stands, without starting anything. */
export function defineStatus(command: Command, cli: Cli): void {
  command
    .description('Shows where a batch stands. Starts nothing: without an engine the records in the home are read.')
    .argument('<batch>', "the batch's name");
  withSettings(
    command,
    'connection',
    ['callsheet status shots', 'callsheet status shots --json'],
    STATUS_EXIT_HELP,
  ).action(async (batch: string) => {
    cli.exitCode = await showStatus(await openSession(command, cli), batch);
  });
}

/** Gives the exit code. */
async function showStatus(session: Session, batch: string): Promise<number> {
  const { knownBatch } = await import('../batch/known-batch.js');
  const { readStates } = await import('../batch/batch-state.js');
  const { statusJson, statusLines } = await import('../views/status-lines.js');
  const { terminal } = session;
  const { access } = await knownBatch(session, batch);
  const { reports, blocked } = await readStates(session, access, [batch]);
  const [report] = reports;
  if (report === undefined) return EXIT.done;
  const shown = { ...report, blocked: [report.blocked, blocked].filter((text) => text !== null).join('; ') || null };
  if (session.isJson) terminal.json(statusJson(session, shown));
  else for (const line of statusLines(session, shown)) terminal.data(line);
  return report.state === 'not running' ? EXIT.standsStill : EXIT.done;
}
