import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { commandHint, openSession, orderWords, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** `results`: the result files of a batch as it stands now. */
export function defineResults(command: Command, cli: Cli): void {
  command
    .description(
      'Writes results.csv, results.jsonl and failed.csv of a batch now; rows that have not ended carry their live word.\n' +
        'failed.csv is itself a manifest: the failed, cancelled and not started rows.',
    )
    .argument('<batch>', "the batch's name");
  withSettings(
    command,
    'connection',
    ['callsheet results shots', 'callsheet results shots --json'],
    READ_EXIT_HELP,
  ).action(async (batch: string) => writeResults(await openSession(command, cli), batch));
}

async function writeResults(session: Session, batch: string): Promise<void> {
  const { resultSources } = await import('../access/home-access.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { writeBatchResults } = await import('../../../activities/files/result-files.js');
  const { countsText } = await import('../views/counts.js');
  const { terminal } = session;
  const { access, generation, out } = await knownBatch(session, batch);
  const { counts, open, orphans = 0 } = await writeBatchResults(resultSources(access), batch, generation.generation);
  const folder = `${out}/${batch}`;
  const files = ['results.csv', 'results.jsonl', 'failed.csv'].map((name) => `${folder}/${name}`);
  if (session.isJson) return terminal.json({ schema: 1, batch, rows: generation.rows, counts, open, files });
  for (const file of files) terminal.data(file);
  const retry = commandHint(session, orderWords('retry', batch));
  const left =
    orphans === 0
      ? ''
      : `; failed.csv leaves out ${orphans}, which nothing could feed there: \`${retry}\` runs what can run`;
  terminal.note(`${generation.rows} rows: ${countsText(counts)}${open === 0 ? '' : `, ${open} not ended yet`}${left}`);
}
