import { lookAgain, reopen } from '../../contract/messages.js';
import { jobId } from '../../contract/names.js';
import type { RowRef } from '../../contract/workflows.js';
import type { AttemptState } from '../../domain/attempt.js';
import { liftedStops } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { resultLines } from '../../home/result-lines.js';
import { readFollowers, rerunIds } from '../../home/row-orders.js';
import { touchedRows } from '../../home/row-records.js';
import { absentIsUndefined } from '../../temporal/look.js';
import { resultSources, rowsOf } from '../access/home-access.js';
import { rejoinWork, type WorkAccess } from '../access/work-access.js';
import { isOutage, isRunning } from '../batch/batch-source.js';
import { termsOf } from '../batch/batch-terms.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { batchInput, endOldPause, signalBatch } from '../batch/submit-batch.js';
import { commandHint, orderWords } from '../open-session.js';
import { findCase, refTo } from './case-row.js';

/**
 * Has the rows go on about which something was recorded. What was decided stands in the home, so where Temporal does not
 * answer, or a person stopped the engine, nothing has failed: gives the sentence that says what carries the order out,
 * else undefined.
 */
export async function continueRows(known: KnownBatch, refs: readonly RowRef[]): Promise<string | undefined> {
  try {
    const work = await rejoinWork(known.session);
    await wakeRows(known, work, refs).finally(() => work.close());
    return undefined;
  } catch (error) {
    if (!isOutage(error)) throw error;
    const resume = commandHint(known.session, orderWords('resume', known.batch));
    return `the order is recorded and not carried out yet, since ${whyAway(error)}: \`${resume}\` carries it out`;
  }
}

function whyAway(error: unknown): string {
  if (!(error instanceof Error)) return 'Temporal does not answer';
  const isStopped = 'code' in error && error.code === 'stopped_by_order';
  return isStopped ? 'the engine was stopped by order' : (error.message.split('\n')[0] ?? error.name);
}

/** Their jobs are woken, or the batch opens them again, which is started for it when it has ended. */
export async function wakeRows(known: KnownBatch, work: WorkAccess, refs: readonly RowRef[]): Promise<void> {
  const { session, batch } = known;
  const { home } = known.access;
  const { generation, rows } = known.generation;
  if (!(await isRunning(home.account, batch, work)) && !(await isHeldStill(known, refs)))
    await endOldPause(known, work);
  const input = batchInput(known, (await readBatchOrder(home, batch)) ?? termsOf(session, 0));
  const lifted = await liftedStops(home, batch);
  for (const row of refs) {
    const job = work.temporal.client.workflow.getHandle(jobId(home.account, batch, row.id));
    await absentIsUndefined(() => job.signal(lookAgain));
    await signalBatch(known, work, input, reopen, { generation, rows, lifted, row, isRerun: true });
  }
}

/** A pause that outlived its batch ends; that of a batch which its server has forgotten holds rows that nothing was ordered of. */
async function isHeldStill({ access, batch, generation }: KnownBatch, refs: readonly RowRef[]): Promise<boolean> {
  const { home } = access;
  if ((await readBatchOrder(home, batch))?.isPaused !== true) return false;
  const { starts } = await readFollowers(home, batch);
  const ordered = new Set([...refs.map(({ id }) => id), ...starts, ...(await rerunIds(home, batch))]);
  for await (const { row, live, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    if (!removed && live !== undefined && !ordered.has(row.id)) return true;
  }
  return false;
}

/** What was decided about rows while no engine ran; false where nothing was. */
export async function carryOut(known: KnownBatch, work: WorkAccess): Promise<boolean> {
  const refs = await decidedRows(known);
  if (refs.length > 0) await wakeRows(known, work, refs);
  return refs.length > 0;
}

/**
 * Rows that a person decided about and that have not ended since: while no engine ran nobody was told, and a batch that
 * goes on where it was has passed some of them.
 */
export async function decidedRows(known: KnownBatch): Promise<RowRef[]> {
  const { access, batch, generation } = known;
  const touched = touchedRows(access.home, batch);
  const refs: RowRef[] = [];
  const reran = new Set(await rerunIds(access.home, batch));
  const unsent = new Set<string>();
  for await (const { row, record } of resultLines(resultSources(access), batch, generation.generation)) {
    if (record !== undefined) continue;
    if (!(await touched.wasTried(row.id))) {
      // Nothing was ever sent of a row that was reused: its order stands in no attempt.
      if (reran.has(row.id)) unsent.add(row.id);
      continue;
    }
    const last = (await access.ledger.read(batch, row.id)).at(-1)?.states.at(-1);
    if (last !== undefined && isDecision(last)) refs.push((await findCase(known, row.id)).ref);
  }
  if (unsent.size === 0) return refs;
  for await (const placed of rowsOf(access, batch, generation)) {
    if (unsent.has(placed.row.id)) refs.push(refTo(known, placed));
  }
  return refs;
}

function isDecision(state: AttemptState): boolean {
  return 'by' in state || (state.state === 'verdict' && state.group !== undefined);
}
