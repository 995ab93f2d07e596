import type { Kind } from './kind.js';
import type { CreditsNano, CreditsRange } from './money.js';
import type { OverrideCause } from './override-cause.js';
import type { Output, ResultFacts } from './reading.js';
import type { RefusalNext } from './refusal-next.js';
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
      sentence: string /** Counted together with others. */;
      group?: string;
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
 * Where an attempt stands. `claimed` = a claim and nothing later: it may be in flight, or its process died.
 * `open_case` = the answer is lost and there is no verdict yet. `given_up` and `written_off` = a person says that it was
 * billed and is lost, or that it was not billed.
 */
export type Standing =
  | 'void'
  | 'claimed'
  | 'refused'
  | 'created'
  | 'done'
  | 'open_case'
  | 'billed'
  | 'not_billed'
  | 'undecided'
  | 'given_up'
  | 'written_off'
  | 'overridden'
  | 'rendered'
  | 'ended';

/** The standing of an attempt by its last record. What was rendered stays billed though the service has it no more. */
export function standingOf(attempt: Attempt): Standing {
  const last = attempt.states.at(-1);
  if (last === undefined) return 'claimed';
  switch (last.state) {
    case 'intent':
      return 'claimed';
    case 'created_lost':
    case 'unknown':
      return 'open_case';
    case 'verdict':
      return last.verdict;
    case 'ruled':
      return last.ruling === 'billed' ? 'given_up' : 'written_off';
    case 'attached':
      return 'created';
    case 'ended':
      return attempt.states.some(({ state }) => state === 'rendered') ? 'rendered' : 'ended';
    case 'void':
    case 'refused':
    case 'created':
    case 'done':
    case 'overridden':
    case 'rendered':
      return last.state;
  }
}

/** True when an attempt is known not to cost. */
export function isKnownUnbilled(standing: Standing): boolean {
  return (['void', 'refused', 'not_billed', 'written_off', 'ended'] as Standing[]).includes(standing);
}

/** True when an attempt was settled without its output: its job may still run, and hold its slot, for a while. */
export function isLost(standing: Standing): boolean {
  const lost: Standing[] = ['billed', 'undecided', 'given_up', 'overridden'];
  return lost.includes(standing);
}

/** True when a further attempt may be claimed: this one is known not to cost, or an override is on record. */
export function allowsAnother(standing: Standing): boolean {
  return isKnownUnbilled(standing) || standing === 'overridden';
}

/** The override of an attempt, if one was ever recorded. */
export function overrideOf(attempt: Attempt): Extract<AttemptState, { state: 'overridden' }> | undefined {
  return attempt.states.findLast((state) => state.state === 'overridden');
}

/** The claim of an attempt, if it can be read. */
export function intentOf(attempt: Attempt): Intent | undefined {
  const first = attempt.states[0];
  return first?.state === 'intent' ? first : undefined;
}

/** The handle of an attempt, from the service's answer or from a person; the last one counts. */
export function handleOf(attempt: Attempt): string | undefined {
  return acceptanceOf(attempt)?.handle;
}

/** The record from which the attempt has its handle; none where that handle turned out to be another attempt's. */
export function acceptanceOf(attempt: Attempt): Extract<AttemptState, { state: 'created' | 'attached' }> | undefined {
  return ownStates(attempt).findLast((state) => state.state === 'created' || state.state === 'attached');
}

/** What is recorded of the attempt itself: an answer that was another's, repeated on the way, tells nothing of it. */
export function ownStates({ states }: Attempt): AttemptState[] {
  const repeatedAt = states.findLastIndex((state) => state.state === 'unknown' && state.evidence.rule === 'T8');
  return states.slice(repeatedAt + 1);
}
