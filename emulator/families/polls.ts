/** Polls of asynchronous jobs: which job a handle names, what it shows now, and how the client's polling is recorded. */

import type { FaultActions } from '../faults/fault-actions.js';
import type { Family } from '../model/assumptions.js';
import { detailError, type ServiceError } from '../model/errors.js';
import type { Job } from '../model/job.js';
import type { JobState } from '../model/truth.js';
import type { Call, World } from '../model/world.js';

interface PollRules {
  /** The families whose jobs the route polls. */
  families: readonly Family[];
  /** Service seconds for which a handle can be polled; an assumption where the documents name none. */
  handleLifeSeconds?: number;
  /** Each poll gives a fresh URL that lives this many service seconds. */
  freshUrlSeconds?: number;
  /** Default 404: what a handle of another account is answered with. */
  foreignStatus?: 409;
  /** Further conditions for the handle to be known (vendor-a: the capability). */
  accepts?: (job: Job) => boolean;
}

/** What a poll shows. */
export interface PollView {
  job: Job;
  /** The state shown; usually the job's own. */
  state: JobState;
  /** A status word that a fault puts in place of the family's own. */
  word?: string;
  /** Present when the state is `succeeded`. */
  url?: string;
  /** What a fault puts in place of the quantity that a success counts. */
  quantity?: FaultActions['report-quantity']['value'];
  message: string;
  /** The failure's code, `InternalError` where it has none. */
  code: string;
}

type Words = Readonly<Record<JobState, string>>;

/** A family's words for the states of a job; a job that was cancelled or expired has failed where it names no others. */
export function wordsOf(
  queued: string,
  running: string,
  succeeded: string,
  failed: string,
  cancelled = failed,
  expired = failed,
): Words {
  return { queued, running, succeeded, failed, cancelled, expired };
}

/** Whether a state is an end without an output. */
export function hasFailed(state: JobState): boolean {
  return state !== 'succeeded' && state !== 'queued' && state !== 'running';
}

const FIRST_POLL_SECONDS = 5;
// Timers of a client may fire a little early.
const EARLY_SLACK_MS = 2;
const GAP_SECONDS_MAX = 30;
const LATE_SLACK_MS = 250;

/** Finds the job of a handle and counts the poll; throws 404 (409 for another account's avatar job) where there is none. */
export async function pollJob(call: Call, rules: PollRules): Promise<PollView> {
  const { world } = call;
  const job = world.jobs.get(call.params.handle ?? '');
  const nowMs = world.clock.nowMs();
  if (job === undefined || !rules.families.includes(job.plan.family)) throw unknownHandle();
  if (rules.accepts?.(job) === false) throw unknownHandle();
  if (job.account !== call.account) {
    if (rules.foreignStatus === 409) throw detailError(409, 'This video belongs to another account.');
    throw unknownHandle();
  }
  const lifeMs = world.clock.serviceMs(rules.handleLifeSeconds ?? world.options.assumptions.handleSeconds);
  if (nowMs >= job.record.createdMs + lifeMs) throw unknownHandle();
  countPoll(call, job, nowMs);
  return viewOf(call, job, rules, nowMs);
}

function unknownHandle(): ServiceError {
  return detailError(404, 'No task with this id.');
}

function viewOf(call: Call, job: Job, rules: PollRules, nowMs: number): PollView {
  const { world, faults } = call;
  const isHidden = faults.get('report-first-state') !== undefined;
  const state = isHidden ? 'queued' : job.record.state;
  const code = job.failure?.code ?? 'InternalError';
  const view: PollView = { job, state, message: job.record.message ?? '', code };
  const word = faults.get('report-word')?.word;
  if (word !== undefined) view.word = word;
  const quantity = faults.get('report-quantity');
  if (quantity !== undefined) view.quantity = quantity.value;
  const { output } = job;
  if (state !== 'succeeded' || output === undefined || faults.get('without-url') !== undefined) return view;
  view.url = world.outputs.url(output, urlEndMs(world, rules, output.expiresMs, nowMs));
  return view;
}

function urlEndMs(world: World, rules: PollRules, fileEndMs: number, nowMs: number): number {
  if (rules.freshUrlSeconds === undefined) return fileEndMs;
  return Math.min(fileEndMs, nowMs + world.clock.serviceMs(rules.freshUrlSeconds));
}

function countPoll(call: Call, job: Job, nowMs: number): void {
  const { world } = call;
  const { record } = job;
  call.record.jobId = record.id;
  record.polls += 1;
  const note: Note = (kind, detail) => {
    world.recorder.violate({ atMs: nowMs, kind, account: record.account, detail: `${record.id}: ${detail}` });
  };
  if (record.firstPollAfterMs === undefined) {
    record.firstPollAfterMs = nowMs - record.createdMs;
    if (record.firstPollAfterMs < baseMs(world, job)) {
      note('poll_early', `first poll after ${record.firstPollAfterMs.toFixed(1)} ms`);
    }
  } else if (record.lastPollMs !== undefined) {
    judgeGap(world, job, nowMs - record.lastPollMs, note);
  }
  // The poll that first sees the end is not "after" it: only polls after an answered terminal poll count.
  if (job.seenTerminal === true) {
    record.pollsAfterTerminal += 1;
    note('poll_after_terminal', `poll ${record.polls}`);
  }
  if (record.terminalMs !== undefined) job.seenTerminal = true;
  record.lastPollMs = nowMs;
  job.lastPoll = call.record;
}

type Note = (kind: 'poll_early' | 'poll_dense' | 'poll_after_terminal', detail: string) => void;

/** "Start polling every 5 seconds (avatar: every 10 seconds) and back off to 30 seconds" (service document 2). */
function judgeGap(world: World, job: Job, gapMs: number, note: Note): void {
  const { record, lastPoll } = job;
  record.maxPollGapMs = Math.max(record.maxPollGapMs, gapMs);
  if (job.seenTerminal === true) return;
  const sawUpdate = job.updatedMs !== undefined && job.updatedMs >= (record.lastPollMs ?? 0);
  // A status update may be followed by a poll at once.
  if (gapMs < baseMs(world, job) && !sawUpdate) note('poll_dense', `poll ${record.polls} after ${gapMs.toFixed(1)} ms`);
  const wasHeldUp = lastPoll?.status === 429 || (lastPoll?.status ?? 500) >= 500;
  if (gapMs > world.clock.serviceMs(GAP_SECONDS_MAX) + LATE_SLACK_MS && !wasHeldUp) record.longPollGaps += 1;
}

function baseMs(world: World, job: Job): number {
  return world.clock.serviceMs(job.plan.firstPollSeconds ?? FIRST_POLL_SECONDS) - EARLY_SLACK_MS;
}
