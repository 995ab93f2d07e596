import { type Attempt, standingOf } from '../../domain/attempt.js';
import type { RowRecord } from '../../domain/outcome.js';
import { resultStates } from '../../home/attempts.js';
import { factsOf } from '../../kinds/facts.js';
import type { HomeAccess } from '../access/home-access.js';
import type { OutputFlaw } from '../plan/output-check.js';
import { plain } from '../terminal.js';
import { amount } from '../views/counts.js';

/** Finished rows whose files are gone or changed: what is said of them, and how they are fetched again. */

export interface LostFile extends OutputFlaw {
  record: RowRecord;
  /** URL, handle or kept bytes may still give it. */
  mayComeAgain: boolean;
}

const NAMES_SHOWN = 5;

/** Whether anything that is known of the row's attempts may still bring its output. */
export async function mayComeAgain(
  { home, config }: HomeAccess,
  { kind }: RowRecord,
  attempts: readonly Attempt[],
  nowMs: number,
): Promise<boolean> {
  const last = attempts.at(-1);
  // A row without an attempt has a copy of another row's file; of itself nothing is known.
  if (last === undefined) return false;
  const [first, ...later] = resultStates(last);
  const standing = standingOf(last);
  if (first === undefined || (standing !== 'done' && standing !== 'rendered')) return false;
  const outputs = (later.at(-1) ?? first).outputs;
  const kept = outputs.flatMap(({ blobSha256 }) => blobSha256 ?? []);
  if (kept.length > 0) return (await Promise.all(kept.map((sha256) => home.hasBlob(sha256)))).every(Boolean);
  return (nowMs - first.atMs) * config.timeScale < factsOf(kind).outputLifeMs;
}

/** Lines for people; none when nothing is lost. */
export function lostFileLines(lost: readonly LostFile[], folder: string): string[] {
  const again = lost.filter((one) => one.mayComeAgain);
  const over = lost.filter((one) => !one.mayComeAgain);
  return [
    ...(again.length > 0 ? [`${sentence(again, folder)}: fetched again`] : []),
    ...(over.length > 0
      ? [
          `${sentence(over, folder)}, and nothing gives ${over.length === 1 ? 'it' : 'them'} any more: put a copy back, or give the row a new id to render it again (costs again)`,
        ]
      : []),
  ];
}

function sentence(lost: readonly LostFile[], folder: string): string {
  const names = lost.slice(0, NAMES_SHOWN).map(({ file, flaw }) => `${plain(file, 200)} (${flaw})`);
  const more = lost.length > NAMES_SHOWN ? ` and ${lost.length - NAMES_SHOWN} more` : '';
  const are = `${amount(lost.length, 'finished row has', 'finished rows have')} no longer the file that was stored`;
  return `${are} in ${folder}: ${names.join(', ')}${more}`;
}

/** From now on the rows wait for their outputs, as the next run of the batch finds. A changed file is left where it is. */
export async function awaitAgain({ records }: HomeAccess, batch: string, lost: readonly LostFile[]): Promise<void> {
  for (const { record, file, flaw } of lost.filter((one) => one.mayComeAgain)) {
    const reason = `${file} is ${flaw} since it was stored`;
    const files = flaw === 'changed' ? record.files : [];
    await records.writeRecord(batch, { ...record, status: 'review', reasonCode: 'output_pending', reason, files });
  }
}
