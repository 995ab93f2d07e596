import type { Output, ResultFacts } from './exchange.js';
import type { Kind } from './kind.js';
import type { CreditsNano, CreditsRange } from './money.js';
import type { FedInput } from './row.js';

/** One submit of a row: the only thing that can cost money. `n` counts from 1. */
export interface AttemptRef {
  batch: string;
  id: string;
  n: number;
}

/** What is known of a submit whose outcome is not: enough for a person, never a header or a key. */
export interface Evidence {
  rule: string;
  /** The process that made the call was seen to be gone: nobody holds the connection any more. */
  callerGone?: true;
  phase?: string;
  status?: number;
  code?: string;
  message: string;
  /** The beginning of an answer that could not be read: a person may find the job in it. */
  answer?: string;
  /** Where the answer says that the output is: it is fetched, and what comes decides. */
  outputUrl?: string;
}

/** The claim: durable before the first byte leaves. */
export interface Intent {
  state: 'intent';
  atMs: number;
  /** 256 random bits, hex: proves whose claim it is. */
  nonce: string;
  /** The last part of the URL that the provider may post status updates to; of this attempt alone, known to nobody else. */
  callbackToken?: string;
  rowHash: string;
  /** The process that claims and sends; absent where processes cannot be told apart. */
  caller?: string;
  kind: Kind;
  generation: string;
  part: number;
  index: number;
  /** What other rows rendered for it, as it is sent; absent where nothing feeds it. */
  inputs?: FedInput[];
  /** What it will cost; null when no price is known. */
  expected: CreditsRange | null;
  /** The last known balance and when it was read. */
  balance?: { nano: CreditsNano; atMs: number };
}

export type Verdict = 'billed' | 'not_billed' | 'undecided';

/** Who decided on an attempt, and why: the user of a machine, or the batch's own policy. */
export interface Decision {
  who: string;
  why?: string;
}

/** One appended record of an attempt; the last one stands. */
export type AttemptState =
  | Intent
  | { state: 'void'; atMs: number; why: string }
  | {
      state: 'refused';
      atMs: number;
      /** The row of the classification table that applied: `T3`, `S1`, … */
      rule: string;
      next: RefusalNext;
      status?: number;
      code?: string;
      message: string;
      requestId?: string;
      retryAfterMs?: number;
    }
  | { state: 'created'; atMs: number; handle: string; warning?: string }
  | { state: 'done'; atMs: number; outputs: RecordedOutput[]; facts: ResultFacts }
  | { state: 'created_lost'; atMs: number; evidence: Evidence; salvagedHandle?: string }
  | { state: 'unknown'; atMs: number; evidence: Evidence }
  | {
      state: 'verdict';
      atMs: number;
      verdict: Verdict;
      sentence: string;
      /** Counted together with others. */
      group?: string;
      /** A person had them counted. */
      byPerson?: true;
    }
  /** A person knows the handle, and a poll of it was answered. */
  | { state: 'attached'; atMs: number; handle: string; by: Decision }
  /** A person settled the attempt. */
  | { state: 'ruled'; atMs: number; ruling: 'billed' | 'not_billed'; by: Decision }
  /** A further attempt may be made although this one may have been billed (invariant I1). */
  | { state: 'overridden'; atMs: number; cause: OverrideCause; by: Decision }
  /** A created job ended well at the service: its outputs can be fetched. */
  | { state: 'rendered'; atMs: number; outputs: RecordedOutput[]; facts: ResultFacts }
  /** A created job ended without a result, uncharged or refunded; after `rendered`, the service has it no more. */
  | { state: 'ended'; atMs: number; word: string; code?: string; message: string };

/** An output as the ledger keeps it: a URL, or bytes that were put into the home first. */
export type RecordedOutput = Omit<Output, 'base64'> & { blobSha256?: string };

/** All that the ledger knows of one attempt, oldest record first; `states[0]` is the claim or its void. */
export interface Attempt {
  n: number;
  states: AttemptState[];
  /** A record exists that cannot be read (a torn write): it counts as a claim without a later state. */
  torn: boolean;
}

/**
 * What lets a row be paid again although an earlier attempt of it may have been billed; `rerun`: a person wants another
 * render of a row that is done.
 */
export type OverrideCause = 'person' | 'always' | 'sync' | 'rerun';

/** What must happen after a refusal; the submit itself is known not to be billed. */
export type RefusalNext =
  /** The network is away: a new attempt with backoff, without limit. */
  | 'retry_backoff'
  /** The provider behind the route is away: the submits of that route are paced, then paused. */
  | 'wait_provider'
  /** Requests per minute: the account's submits are paced, then paused. */
  | 'wait_turn'
  /** A gateway turned the request away for its rate: the submits of that route are paced, then paused. */
  | 'wait_gateway'
  /** Simultaneous jobs: give the slot back, lower the cap, wait for a new grant. */
  | 'wait_slot'
  /** A synchronous call failed and is refunded: at most three new attempts. */
  | 'retry_sync'
  /** The answer was too large: one more attempt that asks for a URL. */
  | 'retry_as_url'
  /** The key is not accepted: the account pauses until a good one is there. */
  | 'pause_key'
  /** Not enough credits: the account pauses until the balance changed. */
  | 'pause_credits'
  | 'fail_row'
  /** The output is too large to be returned at all. */
  | 'fail_size'
  /** This model is closed to the account: all rows of the batch with it fail. */
  | 'fail_model'
  /** This provider is closed to the account: all rows of the batch with it fail. */
  | 'fail_route';

/** 256 random bits as the last part of an attempt's own callback URL: base64url, 43 characters. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function callbackUrl(base: string, token: string): string {
  return `${base}/${token}`;
}

/** The token at the end of a request's path, whatever a proxy in front put before it; undefined when there is none. */
export function tokenIn(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return TOKEN.test(last) ? last : undefined;
}
