import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { awayRender } from '../../home/past-renders.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { commandHint, nameWords } from '../open-session.js';
import { plain } from '../terminal.js';

const NAMES_SHOWN = 5;

/** How files that are away come back for nothing, before anything is paid again; undefined where none is away. */
export function putBackText(
  { session, batch, out }: Pick<KnownBatch, 'session' | 'batch' | 'out'>,
  records: readonly (RowRecord | undefined)[],
): string | undefined {
  const files = records.flatMap((record) => (record && awayRender(record)?.files) ?? []);
  if (files.length === 0) return undefined;
  const [were, them] = files.length === 1 ? ['1 file was', 'it'] : [`${files.length} files were`, 'them'];
  const retry = commandHint(session, `retry ${nameWords(batch)}`);
  return `${were} stored and ${files.length === 1 ? 'is' : 'are'} away: put ${them} back in ${out}/${batch} (${namesOf(files)}), and \`${retry}\` takes ${them} without paying again`;
}

export function namesOf(files: readonly OutputFile[]): string {
  const names = files.slice(0, NAMES_SHOWN).map(({ file }) => plain(file, 200));
  return `${names.join(', ')}${files.length > NAMES_SHOWN ? ` and ${files.length - NAMES_SHOWN} more` : ''}`;
}
