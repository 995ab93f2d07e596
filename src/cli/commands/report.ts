import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { READ_EXIT_HELP } from '../user-error.js';

interface ReportFlags {
  open?: boolean;
  public?: boolean;
}

/** `report`: one page that shows a batch as it stands now. */
export function defineReport(command: Command, cli: Cli): void {
  const described = command
    .description(
      'Writes report.html of a batch now, beside results.csv: what came, what it cost, what failed and how to go on.\n' +
        'It is one file that asks no other for anything: it opens from a mail or a bucket.',
    )
    .argument('<batch>', "the batch's name")
    .option('--open', 'show it in the browser')
    .option(
      '--public',
      'for a client, as report-public.html: media and titles, no costs, account, settings or messages',
    );
  withSettings(
    described,
    'connection',
    ['callsheet report shots --open', 'callsheet report shots --public', 'callsheet report shots --json'],
    `A column x-title of the manifest gives the outputs their titles.\n\n${READ_EXIT_HELP}`,
  ).action(async (batch: string) => writeReport(await openSession(command, cli), batch, command.opts<ReportFlags>()));
}

async function writeReport(session: Session, batch: string, flags: ReportFlags): Promise<void> {
  const { resultSources } = await import('../access/home-access.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { writeBatchReport } = await import('../../../activities/files/result-files.js');
  const { createPosters } = await import('../../report/posters.js');
  const { PUBLIC_REPORT_NAME, REPORT_NAME } = await import('../../report/write-report.js');
  const { quoteInForce } = await import('../../home/batch-marks.js');
  const { quoteJson } = await import('../../report/quote-lines.js');
  const { openPage } = await import('../open-page.js');
  const { access, generation, out } = await knownBatch(session, batch);
  const isPublic = flags.public === true;
  const sources = { ...resultSources(access), posters: createPosters() };
  const page = await writeBatchReport(sources, batch, generation.generation, { isPublic });
  const quote = await quoteInForce(access.home, batch, generation.generation);
  const file = `${out}/${batch}/${isPublic ? PUBLIC_REPORT_NAME : REPORT_NAME}`;
  if (session.isJson)
    session.terminal.json({
      ...{ schema: 1, batch, rows: generation.rows, file, bytes: Buffer.byteLength(page) },
      quote: quote === undefined ? null : quoteJson(quote),
    });
  else session.terminal.data(file);
  if (flags.open === true) await openPage(session, file, page);
}
