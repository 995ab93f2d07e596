import type { BatchResult, RetryOrder } from '../../contract/workflows.js';
import type { SlotTerms } from '../../domain/batch.js';
import { resultsDue } from '../../home/batch-marks.js';
import { type BatchPlace, openPlace, rowsOf } from '../access/home-access.js';
import { rejoinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint, orderWords } from '../open-session.js';
import type { PlanCosts } from '../plan/plan-tally.js';
import type { CountedRows } from '../plan/row-counter.js';
import type { RenderSources } from '../reuse/found-renders.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { createBatchSource, joinRunning } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { closeBatch } from './close-batch.js';
import { copyAgain } from './copy-again.js';
import { sayEarlyInterrupt } from './early-interrupt.js';
import { notePlannedCosts } from './expected-cost.js';
import { type JsonEvents, newJsonEvents } from './json-events.js';
import { type KnownBatch, knownBatch } from './known-batch.js';
import type { StoredAgain } from './stored-again.js';
import { leaveBatch, watchBatch } from './watch-batch.js';
import { orItsEnd, resultOf, writeEnd } from './write-end.js';

interface BatchToRun extends BatchPlace, Pick<KnownBatch, 'generation'> {
  rows: CountedRows;
  /** What its rows cost by the plan that was approved. */
  plannedCosts: PlanCosts['byKind'];
  retry: RetryOrder | null;
  retries: number;
  isBreadthFirst?: boolean | undefined;
  /** How the batch shares the slots, where it begins anew. */
  slots?: Partial<SlotTerms>;
  /** Earlier renders of other batches that stand for rows of this one from the take-over on. */
  reused?: RenderSources | undefined;
  /** What identical rows save, in words. */
  saving?: string | undefined;
}

/**
 * Hands a batch to its workflow and follows it to its end; gives the exit code. `takeOver` makes the home ready, once the
 * engine runs: what Temporal knows of the batch may forbid it.
 */
export async function submitAndFollow(
  toRun: BatchToRun,
  takeOver: (work: WorkAccess) => Promise<void> = async () => undefined,
): Promise<number> {
  const { startWork } = await import('../access/work-access.js');
  const { stillThere, unservedText } = await import('../access/seen-workers.js');
  const { lastEventSeq, submitBatch, supplyAgain } = await import('./submit-batch.js');
  const { refuseSharedRpm } = await import('./batch-rpm.js');
  const { refusedKeyTold } = await import('./batch-source.js');
  const { leaveBatch, watchBatch } = await import('./watch-batch.js');
  const { session, access, batch, retry, retries, isBreadthFirst, slots, reused } = toRun;
  const { generation, rows } = toRun.generation;
  const startedAtMs = Date.now();
  const { finishedBefore } = toRun.rows;
  const finished = finishedBefore.filter((isFinished) => isFinished).length;
  const events = newJsonEvents(toRun);
  const early = sayEarlyInterrupt(toRun);
  const order = { generation, rows, retry, retries, isBreadthFirst, ...(slots && { slots }) };
  const { work, afterSeq } = await handOver().finally(early.over);
  const out = (await access.home.readBatch(batch))?.out ?? session.config.out;
  events?.started({
    generation,
    rows,
    toRun: finishedBefore.length - finished,
    ...(reused && { reused: reused.count() }),
    out: `${out}/${batch}`,
  });
  if (events !== undefined && reused !== undefined) await tellReused(events, toRun, reused);
  const again = (server: WorkAccess) => supplyAgain(toRun, server, order);
  const watched = await watchBatch(toRun, { work, afterSeq, finishedBefore: finished, events, supplyAgain: again });
  const end = await orItsEnd(toRun, generation, watched);
  if (end.end !== 'ended') return leaveBatch(toRun, end, events);
  return closeBatch({
    ...{ session, access, batch, generation, out, events, result: end.result, saving: toRun.saving },
    finishedBefore: finishedBefore.map((isFinished, index) => isFinished && reused?.get(index) === undefined),
    lost: await copyAgain({ ...toRun, generation }, out, toRun.rows.lost),
    tookMs: Date.now() - startedAtMs,
  });

  async function handOver(): Promise<{ work: WorkAccess; afterSeq: number }> {
    let work = await startWork(session);
    try {
      await refuseSharedRpm(toRun, work);
      const beganMs = performance.now();
      await takeOver(work);
      await notePlannedCosts(access.home, batch, toRun.plannedCosts);
      work = await stillThere(session, work, beganMs);
      const unserved = await unservedText(session, work);
      if (unserved !== undefined) session.terminal.warn(`${unserved}; until then the batch waits`);
      const afterSeq = await lastEventSeq(toRun, work);
      early.handingOver();
      await submitBatch(toRun, work, order);
      const keyTrouble = await refusedKeyTold(toRun, work);
      if (keyTrouble !== undefined) session.terminal.warn(keyTrouble);
      return { work, afterSeq };
    } catch (error) {
      await work.close();
      throw error;
    }
  }
}

/** They are done in this run, though nothing runs them. */
async function tellReused(events: JsonEvents, toRun: BatchToRun, reused: RenderSources): Promise<void> {
  const { access, batch, generation } = toRun;
  for await (const { row } of rowsOf(access, batch, generation)) {
    if (reused.get(row.index) === undefined) continue;
    const record = await access.records.readRecord(batch, row.id);
    // The batch may have come to the row by itself before: then its end is told as any other.
    if (record?.reusedFrom !== undefined) events.rowFinished(row.id, 'done', 0, record.finishedAtMs);
  }
  await events.written();
}

/** What a command tells of a batch that it has nothing to run of. */

type Standing = BatchPlace & Pick<KnownBatch, 'generation' | 'out'>;

/** Every row is finished already: the summary comes from the home; no engine starts and nothing is sent. */
export async function finishWithoutWork(
  at: Standing,
  rows: CountedRows & { again: StoredAgain['found'] },
): Promise<number> {
  const { session, access, batch, generation, out } = at;
  // A pointer that cannot be read is written anew as well.
  const isCurrent = (await access.rows.certainGeneration(batch)) === generation.generation;
  const hasResults = (await openPlace(session.config, out, 'shared').size(`${batch}/results.csv`)) !== undefined;
  if (!isCurrent || !hasResults) {
    await access.rows.setCurrentGeneration(batch, generation.generation);
    await writeEnd(access, batch, generation.generation);
  }
  // Beyond a sample rows are left that nobody has started.
  const left = rows.finishedBefore.filter((isFinished) => !isFinished).length;
  if (rows.lost.length === 0 && left === 0 && rows.again.length === 0)
    session.terminal.note(`every row of '${batch}' is finished: nothing to do`);
  return tellStanding(at, rows, left);
}

/** How the batch stands is told as at its end, with the rows that need a person. `left`: rows that a sample holds back. */
export async function tellStanding(at: Standing, rows: CountedRows, left: number): Promise<number> {
  const { access, batch, out } = at;
  const { generation, rows: total } = at.generation;
  if ((await resultsDue.read(access.home, batch)) !== undefined) await writeEnd(access, batch, generation);
  const { ended, endedNano: creditsNano, endedUnknown: creditsUnknown } = rows.tally;
  const events = newJsonEvents(at);
  events?.started({ generation, rows: total, toRun: 0, out: `${out}/${batch}` });
  const counts = { ...ended, not_started: ended.not_started + left };
  const result: BatchResult = { counts, creditsNano, creditsUnknown };
  const { finishedBefore, lost } = rows;
  return closeBatch({ ...at, generation, result, events, finishedBefore, lost, tookMs: undefined });
}

/** Follows a batch that was started before; a finished one is told from the home without starting anything. */
export async function followAgain(session: Session, batch: string): Promise<number> {
  const known = await knownBatch(session, batch);
  const { access, out } = known;
  const { generation, rows } = known.generation;
  const events = newJsonEvents(known);
  const tally = await batchTally(access, batch, generation);
  const common = { ...known, generation, events, finishedBefore: undefined, lost: [], tookMs: undefined };
  events?.started({ generation, rows, toRun: tally.open, out: `${out}/${batch}` });
  const writing = tally.open === 0 ? await joinRunning(known) : undefined;
  if (tally.open === 0 && writing === undefined) {
    return closeBatch({ ...common, result: await resultOf(access, batch, tally) });
  }
  const work = writing ?? (await rejoinWork(session));
  const state = await createBatchSource(known, work).state();
  if (state.state !== 'running' && writing === undefined) {
    await work.close();
    // Its last rows may have ended since they were counted.
    const left = await batchTally(access, batch, generation);
    if (left.open === 0) return closeBatch({ ...common, result: await resultOf(access, batch, left) });
    const resume = commandHint(session, orderWords('resume', batch));
    throw new UserError(
      `batch '${batch}' does not run, and ${amount(left.open, 'row is', 'rows are')} not finished: \`${resume}\` goes on, or the \`callsheet run …\` that started it`,
      EXIT.standsStill,
    );
  }
  const watching = { work, afterSeq: 0, finishedBefore: rows - tally.open, events, supplyAgain: undefined };
  const end = await orItsEnd(known, generation, await watchBatch(known, watching));
  if (end.end !== 'ended') return leaveBatch(known, end, events);
  return closeBatch({ ...common, result: end.result });
}
