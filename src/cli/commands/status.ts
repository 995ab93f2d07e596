import type { Command } from 'commander';
import { parseCredits } from '../../domain/money.js';
import type { Cli } from '../cli.js';
import { EXIT, STATUS_EXIT_HELP } from '../exit-codes.js';
import { openSession } from '../open-session.js';
import type { Session } from '../session.js';
import { addSettings } from '../settings-options.js';

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
  const { readBatchState } = await import('../batch/batch-state.js');
  const { countsText, spentWords } = await import('../views/counts.js');
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  await knownBatch(session, access, batch);
  const work = await joinWork(session);
  try {
    const report = await readBatchState(access, work, batch);
    if (report === undefined) return EXIT.done;
    const { progress, ...facts } = report;
    const exitCode = report.state === 'not running' ? EXIT.standsStill : EXIT.done;
    if (session.isJson) {
      terminal.json({ schema: 1, account: session.config.account.name, ...facts });
      return exitCode;
    }
    const live = Object.entries(report.live).map(([word, count]) => `${word} ${count}`);
    terminal.data(`${terminal.colors.bold(batch)}: ${report.state}`);
    terminal.data(`rows      ${report.rows}: ${countsText(report.counts)}`);
    if (live.length > 0) terminal.data(`open      ${live.join(', ')}`);
    terminal.data(`cost      ${spentWords(parseCredits(report.credits) ?? 0, report.creditsUnknown)}`);
    terminal.data(`writes to ${report.out}`);
    if (report.blocked !== null) terminal.data(terminal.colors.yellow(`paused    ${report.blocked}`));
    if (report.state === 'not running')
      terminal.note(`\`callsheet resume ${batch}\` goes on with it, or the \`callsheet run …\` that started it`);
    return exitCode;
  } finally {
    await work?.close();
  }
}
