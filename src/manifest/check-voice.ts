import type { DraftRow, Report } from '../kinds/rule.js';
import { quoted } from './problem.js';
import { nearestWord } from './suggest.js';

/** The voices of the account for a row that names one; undefined when they cannot be known. */
export type Voices = (named: string) => Promise<ReadonlySet<string> | undefined>;

/** An avatar's voice is one of those that GET voices lists (service document 2, Avatar video). */
export async function checkVoice(row: DraftRow, voices: Voices, report: Report): Promise<void> {
  const voice = row.cells.voice_id;
  if (typeof voice !== 'string') return;
  const known = await voices(voice);
  if (known === undefined || known.has(voice)) return;
  const near = nearestWord(voice, known);
  const hint = near === undefined ? '' : `did you mean '${near}'? `;
  report.problem(
    row,
    'B42',
    'voice_id',
    `unknown voice_id ${quoted(voice)}; ${hint}\`callsheet voices\` lists those of the account`,
  );
}
