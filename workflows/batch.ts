import { allHandlersFinished, condition, continueAsNew, patched, setHandler, workflowInfo } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import type { BatchInput, BatchProgress, BatchResult, RowRef } from '../src/contract/workflows.js';
import { defined } from '../src/domain/defined.js';
import { answerPayments, closeBooks, listenForCases, readSpent } from './batch-answers.js';
import { startJobs } from './batch-jobs.js';
import * as window from './batch-state.js';
import { boundOf, isBoundOfFed, mustReadSpent } from './budget.js';
import { freezeChains, noteHeld, openOrdered, rescanHeld } from './chains.js';
import { openDrain } from './drain-batch.js';
import { openHold } from './hold-batch.js';
import { endWaitForRoom, isLateEnd, reopenRow, takeReopened, waitForRoom } from './open-row.js';
import { openRows, type StartedRow, sweepNowAndThen } from './open-rows.js';
import { homeProxy, wholeBatchProxy } from './proxies.js';

/** A new worker replays a whole run within one workflow task: on a busy machine a long one never gets ready in time. */
const EVENTS_MAX = 1_200;
/** Beyond so many open rows those that go on by an order wait for others to end. */
const OPEN_MAX = 1_000;

/** One manifest under one name: opens a bounded window of jobs over its rows, counts each row once, writes results. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  const state = input.state ?? window.newBatchState(Date.now());
  const home = homeProxy(input.account);
  let phase: BatchProgress['phase'] = 'running';
  let dirty = true;
  const handOverDue = () => workflowInfo().historyLength >= (input.eventsMax ?? EVENTS_MAX);
  const mayEnd = () => window.isFinished(state) && state.corrected === undefined;
  const leavesOrders = () => state.cancelling && !drain.isDone() && state.reopened !== undefined;
  const hold = openHold(input, state, touch);
  const drain = openDrain(input, state, goOn);
  const rows = openRows(input, state, { isWoken: () => dirty, touch, start });
  listen();
  await condition(() => state.generation !== '');
  if (input.state === undefined) await home.ensureSemaphore();
  const routine = sweepNowAndThen(input, state, { touch, ended, start });

  for (;;) {
    dirty = false;
    if (window.isDraining(state)) {
      if (leavesOrders() && patched('cancelled-with-the-rest')) await openMore(true);
      await drain.run();
    }
    await openMore();
    window.shareAfterAll(state);
    rescanHeld(state);
    if (handOverDue()) return await handOver();
    if (window.isFinished(state) && (await isOver())) break;
    if (!rows.hasRoom() && !window.isFinished(state)) await condition(() => dirty || handOverDue());
  }
  phase = 'ended';
  await routine.end();
  await condition(allHandlersFinished);
  await hold.end();
  // What was ordered or corrected while that took its time is carried out by the next run.
  return mayEnd() ? window.resultOf(state) : await handOver();

  function touch(): void {
    dirty = true;
  }

  /**
   * A person may order thousands at once: neither history nor state, nor the number of workflows, grows by that. `orders`:
   * what was ordered before a cancel is begun, so that it is asked to end with the rest.
   */
  async function openMore(orders = false): Promise<void> {
    if (!orders && mustReadSpent(state)) await readSpent(input, state);
    if (!orders) await rows.more();
    const reopened = takeReopened(state);
    for (const [at, row] of reopened.entries()) {
      const isFull = state.open.length >= OPEN_MAX && !state.cancelling;
      if ((isFull || handOverDue()) && patched('reopened-by-runs')) {
        state.reopened = [...reopened.slice(at), ...(state.reopened ?? [])];
        if (isFull) return;
        await handOver();
      }
      await reopen(row);
    }
  }

  async function isOver(): Promise<boolean> {
    phase = 'writing results';
    await closeBooks(input.account, input.batch, state.startedAtMs);
    delete state.corrected;
    const tally = await wholeBatchProxy(input.account).writeResults({
      batch: input.batch,
      generation: state.generation,
    });
    delete state.resultsBlocked;
    await hold.review();
    phase = 'running';
    // An order or a correction that came meanwhile keeps the batch open.
    if (mayEnd()) window.takeTally(state, tally);
    return mayEnd();
  }

  function listen(): void {
    answerPayments(input, state);
    setHandler(messages.supply, supply);
    // The same rows under new limits: nothing else changes for a batch that did not stop.
    setHandler(messages.setBudget, ({ lifted, ...limits }) => goOn({ limits, ...defined({ lifted }) }));
    setHandler(messages.reopen, ({ row, isRerun, ...order }) => {
      const isFirst = state.generation === '';
      // No page brings a row of an earlier manifest.
      const isPaged = isFirst && (row.generation === order.generation || !patched('reopen-removed'));
      if (isFirst) {
        supply({ ...order, retry: null });
        freezeChains(state);
      }
      if (isRerun) openOrdered(state);
      if (!isPaged) state.reopened = [...(state.reopened ?? []), row];
      dirty = true;
    });
    setHandler(messages.rowFinished, ended);
    listenForCases(state, touch);
    setHandler(messages.cancelBatch, () => {
      // Jobs that an order has begun since the others were asked to end are asked as well.
      if (drain.isDone() && patched('cancelled-again')) drain.again();
      if (state.short !== undefined && patched('cancelled-without-room')) endWaitForRoom(state);
      state.cancelling = true;
      dirty = true;
    });
    setHandler(messages.batchProgress, () =>
      window.progressOf(state, phase === 'running' ? window.phaseOf(state) : phase),
    );
  }

  async function ended(report: messages.RowFinished): Promise<void> {
    rows.noteEnded(report);
    if (phase !== 'running' && isLateEnd(state, report) && patched('late-end')) state.corrected = true;
    dirty = window.countFinished(state, report, Date.now()) || dirty;
    if (isBoundOfFed(state) && patched('bound-of-fed')) state.stopped = 'too_many_failures';
    await hold.review();
  }

  function goOn(order: Pick<messages.Supply, 'limits' | 'lifted'>): void {
    supply({ generation: state.generation, rows: state.rows, retry: null, ...order });
  }

  function supply(order: messages.Supply): void {
    // The jobs that are being cancelled end after this order, which runs their rows again.
    if (order.retry !== null && window.isDraining(state)) window.noteCancelled(state);
    if (state.stopped !== null && patched('stop-lifted')) window.noteStopped(state);
    window.noteLifted(state, order.lifted);
    const isCounted = state.open.some(({ countedIn }) => countedIn === order.generation);
    if (window.supplyRows(state, order) && isCounted) window.leaveToPages(state);
    drain.again();
    rows.tryAgain();
    dirty = true;
  }

  async function handOver(): Promise<never> {
    await routine.end();
    await condition(allHandlersFinished);
    return continueAsNew<typeof batch>({ ...input, state });
  }

  async function reopen(row: RowRef): Promise<void> {
    const found = await home.reopenRow({ row, cursor: state.cursor });
    if (found.outcome === 'nothing') return noteHeld(state, found.isHeld ? 1 : 0);
    // One that is about to be asked to end needs no room, and may pay nothing.
    const isEnding = state.cancelling && !drain.isDone() && patched('cancelled-without-room');
    const opened = reopenRow(state, row, isEnding ? { ...found, upToNano: 0 } : found, Date.now());
    if (opened === 'over budget') {
      if (patched('reopened-waits') ? waitForRoom(state, row) : found.was?.status !== 'not_started') return;
      state.stopped ??= 'budget_reached';
      await drain.run();
    } else if (opened) await start([{ opened, begins: found.begins, attempts: found.attempts }]);
  }

  function start(rows: StartedRow[]): Promise<void> {
    const begin = rows.map(({ opened, begins, attempts }) => {
      return { row: opened.row, begins, attempts, ...boundOf(state, opened) };
    });
    return startJobs(input, begin);
  }
}
