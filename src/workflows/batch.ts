import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import * as messages from '../contract/messages.js';
import { jobId } from '../contract/names.js';
import type { BatchInput, BatchProgress, BatchResult, Letter, RowRef } from '../contract/workflows.js';
import { closeBooks } from './close-books.js';
import { openHold } from './hold-batch.js';
import type { job } from './job.js';
import { homeProxy, resultsProxy } from './proxies.js';
import * as window from './window.js';

/** One run hands over before the server would insist. */
const EVENTS_MAX = 3_500;
const SWEEP_EVERY_MS = 60_000;
/** A job that closes again and again without a record is a defect: its row then needs a person. */
const RESTARTS_MAX = 5;

/** One manifest under one name: opens a bounded window of jobs over its rows, counts each row once, writes results. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  const { account, timeScale } = input;
  const state = input.state ?? window.newBatchState(Date.now());
  const home = homeProxy(account);
  let phase: BatchProgress['phase'] = 'running';
  let cancelled = false;
  let dirty = true;

  const hold = openHold(input, state, () => {
    dirty = true;
  });
  listen();
  await condition(() => state.generation !== '');
  if (input.state === undefined) await home.ensureSemaphore();
  sweepNowAndThen();

  for (;;) {
    dirty = false;
    if (state.cancelling) await cancelOpen();
    const room = window.roomForPage(state);
    if (room > 0) await openPage(room);
    window.shareAfterAll(state);
    if (handOverDue()) return await handOver();
    if (window.isFinished(state)) {
      phase = 'writing results';
      await closeBooks(account, input.batch, state.startedAtMs);
      await resultsProxy(account).writeResults({ batch: input.batch, generation: state.generation });
      delete state.resultsBlocked;
      await hold.review();
      phase = 'running';
      // An order that came meanwhile keeps the batch open.
      if (window.isFinished(state)) break;
    } else if (window.roomForPage(state) === 0) {
      await condition(() => dirty || handOverDue());
    }
  }
  phase = 'ended';
  await condition(allHandlersFinished);
  const { counts, creditsNano, creditsUnknown } = state;
  return { counts, creditsNano, creditsUnknown };

  function listen(): void {
    setHandler(messages.supply, (order) => {
      window.supplyRows(state, order);
      cancelled = false;
      dirty = true;
    });
    setHandler(messages.rowFinished, async (report) => {
      dirty = window.countFinished(state, report, Date.now()) || dirty;
      await hold.review();
    });
    setHandler(messages.caseNoted, ({ id, verdict }) => {
      const event = verdict ? { type: 'settled' as const, verdict } : { type: 'ambiguous' as const };
      window.addEvent(state, { atMs: Date.now(), id, ...event });
    });
    setHandler(messages.cancelBatch, () => {
      state.cancelling = true;
      dirty = true;
    });
    setHandler(messages.batchProgress, () => window.progressOf(state, currentPhase()));
  }

  function currentPhase(): BatchProgress['phase'] {
    if (phase !== 'running') return phase;
    if (state.cancelling) return 'cancelling';
    return state.paused || state.outputsPaused === true ? 'paused' : 'running';
  }

  function handOverDue(): boolean {
    return workflowInfo().historyLength >= (input.eventsMax ?? EVENTS_MAX);
  }

  async function handOver(): Promise<never> {
    await condition(allHandlersFinished);
    return continueAsNew<typeof batch>({ ...input, state });
  }

  async function openPage(limit: number): Promise<void> {
    if (state.cursor === null) return;
    const { generation, cursor, retry, isSharing } = state;
    const which = { generation, cursor, limit, retry, ...(isSharing ? { isSharing } : {}) };
    const page = await home.pageRows({ batch: input.batch, ...which });
    // An order that came while the page was read made it stale.
    if (state.generation !== generation || state.cursor !== cursor) return;
    const fresh = window.takePage(state, page, Date.now());
    await Promise.all(fresh.map(({ row, entry: [, letter, attempts] }) => start(row, letter, attempts)));
  }

  async function start(row: RowRef, letter: Letter, attempts: number): Promise<void> {
    try {
      await startChild<typeof job>('job', {
        workflowId: jobId(account, row.batch, row.id),
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        args: [{ account, row, letter, attempts, policy: input.policy, timeScale }],
      });
    } catch (error) {
      // The row's job is still open from an earlier run of the batch: it is joined.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Asks every open job to end; one whose submit was granted goes on and is fetched. */
  async function cancelOpen(): Promise<void> {
    window.cancelRest(state);
    if (cancelled) return;
    cancelled = true;
    const ids = state.open.map((o) => jobId(account, o.row.batch, o.row.id));
    await Promise.all(
      ids.map((id) =>
        getExternalWorkflowHandle(id)
          .cancel()
          .catch(() => undefined),
      ),
    );
  }

  /** Looks after rows that did not report for a while: a terminated job sends nothing. */
  function sweepNowAndThen(): void {
    void (async () => {
      for (;;) {
        await sleep(Math.max(5_000, SWEEP_EVERY_MS / timeScale));
        const oldest = state.open.filter((o) => Date.now() - o.sinceMs >= SWEEP_EVERY_MS / timeScale).slice(0, 20);
        if (oldest.length > 0) await sweep(oldest.map((o) => o.row.id));
      }
    })();
  }

  async function sweep(ids: string[]): Promise<void> {
    for (const seen of await home.sweepRows({ batch: input.batch, ids })) {
      const open = state.open.find((o) => o.row.id === seen.id);
      if (!open) continue;
      // The row that was looked at goes to the end, so that the next sweep sees others.
      state.open = [...state.open.filter((o) => o !== open), open];
      if (seen.state === 'finished') dirty = window.countFinished(state, seen, Date.now()) || dirty;
      if (seen.state !== 'restart') continue;
      if (open.restarts >= RESTARTS_MAX) {
        await home.finishRow({ row: open.row, status: 'review', reason: 'poll_unreadable' });
        continue;
      }
      open.restarts += 1;
      const letter = open.isSharing && seen.letter === 'n' ? 's' : seen.letter;
      await start(open.row, letter, seen.attempts);
    }
  }
}
