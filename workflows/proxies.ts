import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { taskQueues } from '../src/contract/names.js';
import type { DownloadPriority } from '../src/domain/output-tries.js';
import { answerMaxMs, BODY_MAX_MS, KINDS } from '../src/kinds/facts.js';

/**
 * The activities as workflows call them, grouped by what repeating costs. Every group bounds the single attempt and,
 * where it must end, the whole.
 */

/** Lower is sooner on the api queue: reads of an open case, submits, polls, other reads. */
const PRIORITY = { caseRead: 1, submit: 2, poll: 3, read: 4 } as const;

/**
 * One paid POST of any kind, never repeated by the server; the ledger is the guard, the limits only tell us that it died.
 * A synchronous call without a documented end is answered within `syncMaxMs`.
 */
export function submitProxy(account: string, syncMaxMs: number): Pick<Activities, 'submit'> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    startToCloseTimeout: Math.max(...KINDS.map((kind) => answerMaxMs(kind, { syncMaxMs }))) + BODY_MAX_MS,
    heartbeatTimeout: '30 s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
    priority: { priorityKey: PRIORITY.submit },
  });
}

type PollName = 'poll' | 'askFreshUrl';

/** Free reads of one job: one activity for its whole life, one request per attempt, paced by the poll schedule. */
export function pollProxy(account: string, lifeMs: number): Pick<Activities, PollName> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    // The request itself gives no sign of life: only an output that is saved with the last answer may take longer.
    startToCloseTimeout: '1 h',
    heartbeatTimeout: '15 s',
    scheduleToCloseTimeout: lifeMs,
    // A callback breaks off the waiting between polls; a poll that is under way ends first.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '5 s', backoffCoefficient: 1 },
    priority: { priorityKey: PRIORITY.poll },
  });
}

/** Free requests to the service that are not polls of a running job. */
type ApiReads = 'readAccount' | 'readDiscounts' | 'readForClient' | 'reachService' | 'confirmHandle';

/** Reads of the account: balance, caps, discounts, voices. */
export function accountProxy(account: string, why: 'case' | 'routine'): Pick<Activities, ApiReads> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    startToCloseTimeout: '15 s',
    retry: { initialInterval: '2 s', backoffCoefficient: 2, maximumInterval: '30 s' },
    priority: { priorityKey: why === 'case' ? PRIORITY.caseRead : PRIORITY.read },
  });
}

/**
 * What the semaphore reads now and then. It fails soon and is made again when it is due next, so that no hand-over and no
 * submit waits for a service that does not answer.
 */
export function routineReadProxy(account: string): Pick<Activities, 'readAccount' | 'readDiscounts'> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    startToCloseTimeout: '15 s',
    retry: { initialInterval: '1 s', maximumAttempts: 3, nonRetryableErrorTypes: ['service.key-refused'] },
    priority: { priorityKey: PRIORITY.read },
  });
}

/** What a verdict waits for: a service that does not answer, or a crowded minute, holds it up for a while alone. */
export function discountsProxy(account: string): Pick<Activities, 'readDiscounts'> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    startToCloseTimeout: '15 s',
    scheduleToCloseTimeout: '45 s',
    retry: { initialInterval: '1 s', maximumAttempts: 3 },
    priority: { priorityKey: PRIORITY.caseRead },
  });
}

/** The last look at the balance of a batch that ends: it must not wait for a service that is away. */
export function lastReadProxy(account: string): Pick<Activities, 'readAccount'> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).api,
    startToCloseTimeout: '15 s',
    scheduleToCloseTimeout: '30 s',
    retry: { maximumAttempts: 2 },
    priority: { priorityKey: PRIORITY.read },
  });
}

type DownloadName = 'download' | 'fetchInputs' | 'fetchSalvaged';

/** Bytes from the service to the store: repeatable, long, watched by heartbeats; what expires soonest goes first. */
export function downloadProxy(account: string, priority: DownloadPriority = 3): Pick<Activities, DownloadName> {
  return proxyActivities<Activities>(bytesOptions(account, priority));
}

/** Copies of what another row rendered: one that is cancelled while it is written says what came of it. */
export function shareProxy(account: string): Pick<Activities, 'shareOutput'> {
  const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
  return proxyActivities<Activities>({ ...bytesOptions(account, 3), cancellationType });
}

function bytesOptions(account: string, priority: DownloadPriority): ActivityOptions {
  return {
    taskQueue: taskQueues(account).io,
    startToCloseTimeout: '2 h',
    heartbeatTimeout: '30 s',
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s' },
    priority: { priorityKey: priority },
  };
}

/** Reads and writes of the home: repeatable and short. A full disk is waited for, not given up. */
export function homeProxy(
  account: string,
): Omit<Activities, 'submit' | PollName | DownloadName | 'shareOutput' | WholeBatch | ApiReads> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).home,
    startToCloseTimeout: '60 s',
    retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '15 s' },
  });
}

/** Done by the worker within a workflow task: what is over in milliseconds, and may be done twice. */
export function localProxy(): Pick<Activities, 'tellGrant' | 'nameHeirs' | 'endStandby'> {
  return proxyLocalActivities<Activities>({
    startToCloseTimeout: '5 s',
    retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '5 s' },
  });
}

type WholeBatch = 'writeResults' | 'rewriteResults' | 'closeBooks';

/** What goes over all rows or charges of a batch, for its results and its books: a million take minutes. */
export function wholeBatchProxy(account: string): Pick<Activities, WholeBatch> {
  return proxyActivities<Activities>({
    taskQueue: taskQueues(account).io,
    startToCloseTimeout: '1 h',
    heartbeatTimeout: '60 s',
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s' },
  });
}
