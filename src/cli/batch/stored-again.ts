import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { resultsDue } from '../../home/batch-marks.js';
import { noteLanded } from '../../home/late-outputs.js';
import { awayRender, withStored } from '../../home/past-renders.js';
import { isOutdone } from '../../home/row-standing.js';
import { createOutputs } from '../../store/outputs.js';
import { parallel } from '../../store/parallel.js';
import { type BatchPlace, openPlace } from '../access/home-access.js';
import { plain } from '../terminal.js';
import { amount, firstNames } from '../views/counts.js';
import { proveOut } from './prove-out.js';

/** Rows whose files were away, as those of a disk that was not mounted, and lie at their places again: nothing is paid. */

const WRITE_WIDTH = 16;

export interface StoredAgain {
  /** The record as it is once its row is done again; undefined where nothing was away, or is away still. */
  look(record: RowRecord): Promise<RowRecord | undefined>;
  /** What was found until now. */
  found: readonly BackRow[];
}

interface BackRow {
  /** As it stands in the home. */
  was: RowRecord;
  record: RowRecord;
}

/** Looks only; `out` is the place that the batch writes to. */
export function openStoredAgain({ session, access, batch }: BatchPlace, out: string): StoredAgain {
  const outputs = createOutputs(openPlace(session.config, out, 'shared'), batch);
  const found: BackRow[] = [];
  return {
    found,
    async look(was) {
      const render = awayRender(was);
      const files = render && (await outputs.there(render.files));
      const record = files && withStored(was, files);
      if (record === undefined) return undefined;
      // A person ordered that it is paid again, or gave it up: that is under way.
      if (isOutdone(was, await access.ledger.read(batch, was.id))) return undefined;
      found.push({ was, record });
      return record;
    },
  };
}

/** From now on the rows are done, as they were before their files were away; says so, as the results do. */
export async function takeStoredAgain(at: BatchPlace, out: string, found: readonly BackRow[]): Promise<void> {
  const { session, access, batch } = at;
  if (found.length === 0) return;
  await proveOut(at, 0, out);
  session.terminal.note(storedAgainText(found, `${out}/${batch}`));
  await changeStored(at, async () => {
    await parallel(found, WRITE_WIDTH, async ({ was, record: { files } }) => {
      if (was.reasonCode === 'output_pending') await noteLanded(access.home, batch, was.id, Date.now());
      await access.records.changeRecord(batch, was.id, (now) => {
        // It may have come to another end since it was looked at.
        return now?.finishedAtMs === was.finishedAtMs ? withStored(now, files) : undefined;
      });
    });
  });
}

/** Changes records, and the results with them: nobody else writes those for such rows, and this may be cut short. */
export async function changeStored({ access, batch }: BatchPlace, change: () => Promise<void>): Promise<void> {
  await resultsDue.write(access.home, { schema: 1, atMs: Date.now() }, batch);
  await change();
  const generation = await access.rows.currentGeneration(batch);
  if (generation === undefined) return;
  const { writeEnd } = await import('./write-end.js');
  await writeEnd(access, batch, generation);
}

/** `folder` is the batch's own. */
export function storedAgainText(found: readonly BackRow[], folder: string): string {
  const files = found.flatMap(({ record }) => record.files);
  const are = amount(files.length, 'file is', 'files are');
  const rows = amount(found.length, 'row is', 'rows are');
  return `${are} there again as stored in ${folder}: ${namesOf(files)}; ${rows} done, and nothing is fetched or paid for that`;
}

/** The first of them by name. */
export function namesOf(files: readonly OutputFile[]): string {
  return firstNames(files.map(({ file }) => plain(file, 200)).sort());
}
