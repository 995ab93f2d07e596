import {
  CancellationScope,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { GrantedMeanwhile, SubmitResult } from '../src/contract/activities.js';
import * as messages from '../src/contract/messages.js';
import { semaphoreId } from '../src/contract/names.js';
import type { TurnedAway } from '../src/contract/semaphore.js';
import type { JobInput } from '../src/contract/workflows.js';
import type { ReasonCode } from '../src/domain/failure.js';
import type { Status } from '../src/domain/outcome.js';
import type { Job, Step, Submits } from './job-work.js';
import { nextStep } from './next-step.js';
import { downloadProxy, homeProxy, submitProxy } from './proxies.js';

const SYNC_RETRIES_MAX = 3;
/** For a batch that was started without the setting. */
const SYNC_MAX_MS = 900_000;

const HELD_MS = 15_000;

type Refusal = Extract<SubmitResult, { outcome: 'refused' }>;

/** Opens the job's submits; they share the counts of refusals. */
export function openSubmits({ account, timeScale, upToNano, syncMaxMs = SYNC_MAX_MS }: JobInput): Submits {
  const home = homeProxy(account);
  const { submit } = submitProxy(account, syncMaxMs);
  const known = new Map<number, SubmitResult & GrantedMeanwhile>();
  let failures = 0;
  let syncRetries = 0;

  setHandler(messages.outcomeKnown, ({ n, result }) => {
    known.set(n, result);
  });

  return {
    async prepare({ input: { row } }) {
      const taken = await downloadProxy(account).fetchInputs({ row });
      if (taken === true) return { step: 'submit' };
      if (taken === false) return { step: 'finish', status: 'failed', reason: 'input_missing' };
      return { step: 'finish', status: unsentStatus(taken.reason), reason: taken.reason, text: taken.text };
    },

    async next(work) {
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled before the submit');
      const n = work.n + 1;
      const { cancelRequested } = CancellationScope.current();
      if (work.slot.standsBy()) {
        const endStandby = () => CancellationScope.nonCancellable(() => work.slot.endStandby());
        cancelRequested.catch(endStandby);
      }
      const result = await CancellationScope.nonCancellable(() => submitOnce(work, n));
      return this.read(work, result);
    },

    async read(work, result) {
      if (result.outcome === 'standing' || result.outcome === 'refused') work.n = result.n;
      switch (result.outcome) {
        case 'not_sent':
          return { step: 'finish', status: unsentStatus(result.reason), reason: result.reason };
        case 'replaced':
          work.input = { ...work.input, row: result.row };
          return { step: 'submit' };
        case 'needs_inputs':
          return this.prepare(work);
        case 'held':
          // Released, since nobody knows for how long; the pause itself reaches the semaphore by another way.
          work.slot.release();
          await sleep(HELD_MS / timeScale);
          return { step: 'submit' };
        case 'ended':
          if (result.released) work.slot.released();
          return { step: 'finish', status: result.status, recorded: true };
        case 'not_granted':
          return { step: 'submit' };
        case 'no_record':
          // The semaphore lifts this pause itself: a job may be cancelled while it waits.
          await getExternalWorkflowHandle(semaphoreId(account)).signal(messages.pauseGrants, { reason: 'records' });
          work.slot.release();
          return { step: 'submit' };
        case 'refused':
          return refused(work, result);
        case 'standing':
          if (result.released) work.slot.released();
          return nextStep(work, result.standing);
      }
    },
  };

  /** Sends one attempt and learns its outcome, from whichever of activity, signal and ledger knows it first. */
  async function submitOnce(work: Job, n: number): Promise<SubmitResult> {
    const { row } = work.input;
    // What was told of an earlier try of this attempt has been read; the ledger repeats it where it still stands.
    known.delete(n);
    const most = work.again ? work.again.upToNano : upToNano;
    const reserved = typeof most === 'number' ? { upToNano: most } : {};
    const sinceMs = workflowInfo().startTime.getTime();
    const standsBy = work.slot.standsBy();
    const input = { row, n, grant: work.slot.grant(), sinceMs, ...reserved, ...(standsBy ? { standsBy } : {}) };
    const told = condition(() => known.has(n)).then(() => known.get(n));
    try {
      const result = await Promise.race([submit(input), told]);
      work.slot.stoodBy(result?.granted);
      return result ?? (await home.inspectAttempt({ row, n }));
    } catch {
      // The worker died or was paused: the ledger says whether anything can have been sent. Not at once: what keeps
      // failing before its claim must not spin.
      await sleep(Math.min(30_000, 500 * 2 ** Math.min(failures++, 6)));
      const found = await home.inspectAttempt({ row, n });
      work.slot.stoodBy(undefined);
      // Its grant came within the worker and was not heard of here.
      const isSent = found.outcome === 'standing' && found.standing !== 'void';
      if (standsBy && isSent) await work.slot.acquire(true);
      return found;
    }
  }

  async function refused(work: Job, refusal: Refusal): Promise<Step> {
    switch (refusal.next) {
      case 'retry_backoff':
        return turnedAway(work, refusal, 'network');
      case 'wait_provider':
        return turnedAway(work, refusal, 'provider');
      case 'wait_turn':
        return turnedAway(work, refusal, 'rpm');
      case 'wait_gateway':
        return turnedAway(work, refusal, 'gateway');
      case 'wait_slot':
        work.slot.release({ overCap: true });
        return { step: 'submit' };
      case 'retry_sync':
        if (syncRetries++ >= SYNC_RETRIES_MAX) return fails(work, 'service_error');
        await sleep((1_000 * 2 ** syncRetries) / timeScale);
        return { step: 'submit' };
      case 'retry_as_url':
        return { step: 'submit' };
      case 'fail_size':
        return fails(work, 'output_too_large');
      case 'pause_key':
      case 'pause_credits':
        await pauseAccount(refusal);
        work.slot.release({ answered: true });
        return { step: 'submit' };
      case 'fail_model':
        return fails(work, 'model_not_available');
      case 'fail_route':
        return fails(work, 'route_disabled');
      case 'fail_row':
        return fails(work, 'invalid_request');
    }
  }

  function fails(work: Job, reason: ReasonCode): Step {
    work.slot.release({ answered: true });
    return { step: 'finish', status: 'failed', reason };
  }

  /** The semaphore paces all who were turned away: the slot goes back, and the row queues again. */
  function turnedAway(work: Job, { retryAfterMs }: Refusal, cause: TurnedAway['cause']): Step {
    work.slot.release({ turnedAway: { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } });
    return { step: 'submit' };
  }

  async function pauseAccount({ next, needNano, seenNano, keyMark }: Refusal): Promise<void> {
    const semaphore = getExternalWorkflowHandle(semaphoreId(account));
    await semaphore.signal(messages.pauseGrants, {
      reason: next === 'pause_key' ? 'key' : 'credits',
      ...(needNano === undefined ? {} : { needNano }),
      ...(seenNano === undefined ? {} : { seenNano }),
      ...(keyMark === undefined ? {} : { keyMark }),
    });
  }
}

const UNSTARTED: ReadonlySet<ReasonCode> = new Set([
  'budget_reached',
  'too_many_failures',
  'row_replaced',
  'upstream_failed',
  'input_changed',
]);

/** A row that the budget or a person keeps back has not failed. */
function unsentStatus(reason: ReasonCode): Status {
  if (reason === 'record_damaged') return 'review';
  if (reason === 'cancelled_by_user') return 'cancelled';
  return UNSTARTED.has(reason) ? 'not_started' : 'failed';
}
