/** The ground truth: what really happened, kept for tests to compare with what a client believes. */
import { createHash } from 'node:crypto';
import type { Kind } from './prices.js';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** One request as it arrived; times are Unix milliseconds. */
export interface RequestRecord {
  index: number;
  arrivedMs: number;
  /** When the answer was complete or the connection was gone. */
  endedMs?: number;
  method: string;
  path: string;
  /** The route's name, `unknown` where no route has the path. */
  route: string;
  account?: string;
  userAgent?: string;
  status?: number;
  /**
   * `answered` to the last byte; `closed` or `reset` by a fault before an answer; `broken` within the answer by a fault
   * or by the client; `client_gone` before there was an answer.
   */
  ending?: 'answered' | 'closed' | 'reset' | 'broken' | 'client_gone';
  faults?: string[];
  jobId?: string;
  /** Bytes of the answer's body. */
  bytes?: number;
}

export interface OutputRecord {
  id: string;
  contentType: string;
  bytes: number;
  sha256: string;
  /** How often it was downloaded to the end. */
  downloads: number;
}

/** One asynchronous job or one synchronous generation. */
export interface JobRecord {
  id: string;
  type: 'job' | 'call';
  account: string;
  kind: Kind;
  route: string;
  model: string;
  handle?: string;
  createdMs: number;
  /** When it became terminal; absent while it runs. */
  terminalMs?: number;
  state: JobState;
  message?: string;
  expectedNano: number;
  chargedNano: number;
  /** When it was first charged; a reservation is a charge. */
  chargedMs?: number;
  refundedNano: number;
  refundedMs?: number;
  /** The request that it came from, and how that was answered. */
  request: RequestRecord;
  /** Sha256 of the request body's bytes. */
  requestHash: string;
  /** The submitted body; strings above 2,000 characters stand as `sha256:<hex>:<characters>`. */
  body: unknown;
  /** `X-Client-Reference`, `X-Request-Id` or `Idempotency-Key`, where the client sent one. */
  clientReference?: string;
  callbackUrl?: string;
  /** Status updates posted to `callbackUrl`; the status is the receiver's answer, 0 where there was none. */
  callbacks?: { atMs: number; state: JobState; status: number }[];
  outputs: OutputRecord[];
  polls: number;
  /** From creation to the first poll. */
  firstPollAfterMs?: number;
  lastPollMs?: number;
  maxPollGapMs: number;
  /** Gaps above 30 s while it ran, but after a poll that was answered 429 or 5xx; a pause explains others. */
  longPollGaps: number;
  pollsAfterTerminal: number;
  /** Created by a fault after the answer was withheld. */
  late?: boolean;
  /** The job that this one doubles, created by the same request through a fault. */
  doubles?: string;
}

/** Something that a client should not have done, or that broke a cap. */
export interface Violation {
  atMs: number;
  kind:
    | 'rpm_refused'
    | 'concurrent_refused'
    | 'jobs_over_cap'
    | 'poll_early'
    | 'poll_dense'
    | 'poll_after_terminal'
    | 'default_user_agent'
    | 'no_price';
  account: string;
  detail: string;
}

const VIOLATIONS_KEPT = 1000;

/** Collects records while the emulator runs. */
export interface Recorder {
  readonly requests: RequestRecord[];
  readonly jobs: JobRecord[];
  readonly violations: Violation[];
  readonly violationCounts: Partial<Record<Violation['kind'], number>>;
  connections: number;
  request(record: Omit<RequestRecord, 'index'>): RequestRecord;
  /** Enters a record and gives it its id. */
  addJob(record: Omit<JobRecord, 'id'>): JobRecord;
  job(id: string): JobRecord | undefined;
  violate(violation: Violation): void;
}

/** `onJob` is told of each job and call when it is entered. */
export function createRecorder(onJob: (record: JobRecord) => void = () => undefined): Recorder {
  const requests: RequestRecord[] = [];
  const jobs: JobRecord[] = [];
  const violations: Violation[] = [];
  const violationCounts: Recorder['violationCounts'] = {};
  return {
    requests,
    jobs,
    violations,
    violationCounts,
    connections: 0,
    request(record) {
      const complete: RequestRecord = { index: requests.length + 1, ...record };
      requests.push(complete);
      return complete;
    },
    addJob(record) {
      const complete: JobRecord = { id: `${record.type}-${String(jobs.length + 1).padStart(6, '0')}`, ...record };
      jobs.push(complete);
      onJob(complete);
      return complete;
    },
    // Ids are numbered in the order of the list.
    job: (id) => jobs[Number(id.slice(id.indexOf('-') + 1)) - 1],
    violate(violation) {
      violationCounts[violation.kind] = (violationCounts[violation.kind] ?? 0) + 1;
      // A runaway client must not fill the memory; the counts stay exact.
      if (violations.length < VIOLATIONS_KEPT) violations.push(violation);
    },
  };
}

const STRING_KEPT_MAX = 2000;

/** A copy of a submitted body in which long strings (inline media) stand as their hash and length. */
export function compactBody(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.length <= STRING_KEPT_MAX) return value;
    return `sha256:${createHash('sha256').update(value).digest('hex')}:${value.length}`;
  }
  if (Array.isArray(value)) return value.map(compactBody);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, compactBody(item)]));
  }
  return value;
}
