import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { awayRender } from '../../home/past-renders.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { namesOf, openStoredAgain } from '../batch/stored-again.js';
import { commandHint, nameWords } from '../open-session.js';
import { amount } from '../views/counts.js';

/** How files that were away come back for nothing, before anything is paid again; no line where none was. */
export async function putBackLines(known: KnownBatch, records: readonly (RowRecord | undefined)[]): Promise<string[]> {
  const { session, batch, out } = known;
  const { look } = openStoredAgain(known, out);
  const back: OutputFile[] = [];
  const away: OutputFile[] = [];
  for (const record of records) {
    const render = record && awayRender(record);
    if (record && render) ((await look(record)) === undefined ? away : back).push(...render.files);
  }
  const retry = `\`${commandHint(session, `retry ${nameWords(batch)} --class output`)}\` takes`;
  const areIn = (files: OutputFile[], how: string): string =>
    `${amount(files.length, 'file is', 'files are')} ${how} in ${out}/${batch} (${namesOf(files)})`;
  const them = ({ length }: OutputFile[]): string => (length === 1 ? 'it' : 'them');
  return [
    ...(back.length > 0
      ? [`${areIn(back, 'there again as stored')}: ${retry} ${them(back)} without paying again`]
      : []),
    ...(away.length > 0
      ? [
          `${areIn(away, 'not there as stored')}: put ${them(away)} back, and ${retry} ${them(away)} without paying again`,
        ]
      : []),
  ];
}
