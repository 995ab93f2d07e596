import type { RetryOrder } from '../../contract/workflows.js';
import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { clearCancelled, clearStopped, isCancelledBatch, sampleInForce } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { feedersOf } from '../../home/feeders.js';
import { clearFollowers, noteReruns } from '../../home/row-orders.js';
import { openPlace } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import { approvePlan } from '../plan/approve-plan.js';
import { countKeptRows } from '../plan/count-kept-rows.js';
import { makePlan } from '../plan/make-plan.js';
import { planLines } from '../plan/plan-view.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { asOrdered } from './batch-terms.js';
import { fileAsItLies } from './file-as-it-lies.js';
import { type KnownBatch, knownBatch, refuseOtherHome } from './known-batch.js';
import { retryClasses } from './run-flags.js';
import { submitAndFollow, tellStanding } from './submit-and-follow.js';

export interface RetryFlags {
  class?: string;
  /** Absent = as the batch was run. */
  retries?: number;
  yes?: boolean;
  trustHome?: boolean;
  /** Files that feed rows and were changed since are taken as they lie. */
  acceptInputs?: boolean;
}

/** Runs failed and cancelled rows of a batch again, from the rows that the home keeps. */
export async function retryBatch(session: Session, batch: string, flags: RetryFlags): Promise<number> {
  const { terminal } = session;
  const retry: RetryOrder = { beforeMs: Date.now(), classes: retryClasses(flags.class) };
  await session.apiKey();
  const known = await knownBatch(session, batch);
  const { access, generation } = known;
  await refuseOtherHome(known, flags.trustHome);
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const retouched = new Map<string, Retouched>();
  const { rows, chains } = await countKeptRows(known, { retry }, async (row) => {
    if (sample?.has(row.id) === false) return false;
    const found = flags.acceptInputs && fedMedia(row).length > 0 ? await retouchedFor(known, row, retry) : [];
    for (const one of found) retouched.set(one.record.id, one);
    return true;
  });
  if (rows.finishedBefore.every((finished) => finished)) {
    const which = retry.classes.length === 0 ? '' : ` of class ${retry.classes.join(', ')}`;
    terminal.note(`'${batch}' has no failed or cancelled row${which}: nothing is run again`);
    if (sample !== undefined && (await isCancelledBatch(access.home, batch))) {
      await clearCancelled(access.home, batch);
      terminal.note('the cancel is taken back: the rest waits for approval as before');
    }
    const held = sample === undefined ? 0 : generation.rows - rows.finishedBefore.filter((isRow) => isRow).length;
    return tellStanding(known, rows, held);
  }
  const credits = await readOwnCredits(session);
  const plan = await makePlan(known, { manifest: 'retry', rows, costNotes: [], chains }, credits);
  for (const line of planLines(plan)) terminal.note(line);
  await approvePlan(known, plan, flags.yes);
  await acceptFiles(known, retouched.values());
  await clearCancelled(access.home, batch);
  await clearStopped(access.home, batch);
  await clearFollowers(access.home, batch);
  // The budget that the batch has bounds what is retried, however the question was answered.
  const order = await readBatchOrder(access.home, batch);
  const retries = flags.retries ?? order?.policy.retries ?? 0;
  return submitAndFollow({ ...known, session: asOrdered(session, order), rows, retry, retries });
}

/** Files that people retouched after they were rendered: by order they feed as they lie. */

/** A row that feeds, with its file as it lies. */
interface Retouched {
  record: RowRecord;
  file: OutputFile;
}

/** What feeds a row that is run again, where its file is another one by now; throws a UserError where there is none. */
async function retouchedFor(known: KnownBatch, row: Row, { classes }: RetryOrder): Promise<Retouched[]> {
  const { access, batch, out } = known;
  const own = await access.records.readRecord(batch, row.id);
  if (own !== undefined && !['not_started', 'failed', 'cancelled'].includes(own.status)) return [];
  // What has not started runs with every retry.
  const isOfClass = classes.length === 0 || classes.includes(own?.reasonCode ?? own?.status ?? '');
  if (own !== undefined && own.status !== 'not_started' && !isOfClass) return [];
  const store = openPlace(access.config, out, 'shared');
  const found: Retouched[] = [];
  for (const { record, file } of await feedersOf(access, { batch, generation: known.generation.generation }, row)) {
    if (record === undefined || file === undefined) continue;
    const lies = await fileAsItLies(store, batch, file.file);
    if (lies === undefined) {
      // Of what is not run for its sake it is fetched again as far as it lives.
      if (own?.reasonCode !== 'input_changed') continue;
      throw new UserError(`${file.file} of row '${record.id}' is gone: put a file there; nothing was submitted`);
    }
    if (lies.file.sha256 === file.sha256) continue;
    if (!lies.isMedia) {
      throw new UserError(`${file.file} of row '${record.id}' cannot be opened as media; nothing was submitted`);
    }
    found.push({ record, file: lies.file });
  }
  return found;
}

/** From here on the record of the row that feeds tells of the file that lies there. */
async function acceptFiles(known: KnownBatch, retouched: Iterable<Retouched>): Promise<void> {
  const { batch } = known;
  const { home, records } = known.access;
  for (const { record, file } of retouched) {
    const warning = `${file.file} was changed after it was rendered, and is taken as it is`;
    // What was made with the file as it was is told from what is made with this one.
    await noteReruns(home, batch, [record.id]);
    known.session.terminal.note(`${file.file} of row '${record.id}' is taken as it lies`);
    await records.changeRecord(batch, record.id, (now = record) => {
      if (now.finishedAtMs !== record.finishedAtMs) return undefined;
      const warnings = [...now.warnings.filter((one) => one !== warning), warning];
      return { ...now, files: [file, ...now.files.slice(1)], warnings };
    });
  }
}
