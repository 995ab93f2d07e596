import type { Share } from '../domain/batch.js';
import type { Breaker, Kind, Provider } from '../domain/kind.js';
import type { CreditsNano } from '../domain/money.js';
import type { RenderEnd, RenderTimes } from '../domain/render-times.js';

/** What the semaphore of an account knows and is asked. */

/** Names a job to the semaphore. */
export interface JobKey {
  batch: string;
  id: string;
}

/** A slot is a job's until it gives this grant back; with what renders of its kind took lately. */
export interface Granted {
  grant: number;
  expected: RenderTimes | null;
}

/** A job whose turn is next, with the number of its grant: whoever gives a slot back within the worker may hand it on. */
export interface Heir extends Granted {
  job: JobKey;
}

/** Who is next, in turn, and the grants of slots that may be handed on. */
export interface NamedHeirs {
  heirs: Heir[];
  held: number[];
}

export interface SemaphoreInput {
  account: string;
  timeScale: number;
  /** Events after which a run hands over to the next; far below the server's limit when not given. */
  eventsMax?: number;
  /** Set for runs that this build begins: a replay of an earlier one shares the slots, and says who is next, as it did. */
  countsHeld?: true;
  forgives?: true;
  namesHeirs?: true;
  state?: SemaphoreState;
}

export interface Holder {
  job: JobKey;
  grant: number;
  kind: Kind;
  sinceMs: number;
  /** `granted` = being submitted, `submitted` = rendering, `held` = kept for a lost answer. */
  phase: 'granted' | 'submitted' | 'held';
  n?: number; // the attempt that it was found for in the ledger when the semaphore began
  /** Its submit must be told apart from others of its family by the balance (policy `if-proved`). */
  apart?: true;
  /** Its answer is known to be lost: it waits for none. */
  lost?: true;
  /** Set when the job ended without an answer: the slot goes back by itself then. */
  releaseAtMs?: number;
  /** Slot time that its batch was charged with when it was granted. */
  chargedMs?: number;
}

export interface Waiting {
  job: JobKey;
  kind: Kind;
  sinceMs: number;
  apart?: true;
  /** Its submit waits within the worker. */
  standsBy?: true;
  /** Other rows feed it: it goes before the others of its batch. */
  isFed?: true;
  /** The number of its grant, whoever gives it, since it was named as an heir. */
  grant?: number;
}

/** A time in which nothing is granted, so that the balance moves for one lost answer alone. */
export interface Quiet {
  fromMs: number;
  untilMs: number;
}

/** A lost answer as the semaphore hears of it. */
export interface OpenedCase {
  job: JobKey;
  n: number;
  kind: Kind;
  atMs: number;
  /** When its answer was lost, where that is known; an image may hang for longer than a breaker looks back. */
  lostMs?: number;
  /** When the balance wants silence; kept only for jobs whose policy needs it. */
  quiet?: Quiet;
}

/** A breaker at work; `probe` is the grant that tries its family. */
export interface OpenBreaker extends Breaker {
  probe?: number;
}

/**
 * Why a submit was turned away: no byte of it could be sent, the plan's requests per minute are used up, a gateway has
 * too many, or the provider behind the route cannot be reached. `retryAfterMs`: never sooner than that.
 */
export interface TurnedAway {
  cause: 'network' | 'rpm' | 'gateway' | 'provider';
  retryAfterMs?: number;
}

/** How the submits of an account (`route` null) or of one route are slowed down. */
export interface Pace {
  cause: TurnedAway['cause'];
  /** The kind by whose address the route is known. */
  route: Kind | null;
  /** In a row. */
  refusals: number;
  sinceMs: number;
  /** When the last refusal was counted. */
  countedMs: number;
  /** Nothing is submitted before. */
  untilMs: number;
  /** The service itself named this time: no answer ends the pace before. */
  notBeforeMs?: number;
}

export interface PauseReason {
  /**
   * `key` = the key is refused, `credits` = the balance is too low, `user` = the batch's own pause, `records` = the home
   * cannot be written, `outputs` = finished files of the batch cannot be stored, `network` = the service is out of reach.
   */
  reason: 'key' | 'credits' | 'user' | 'records' | 'outputs' | 'network';
  batch?: string;
  sinceMs: number;
  /** When a refusal was last added to it, if one was. */
  refusedMs?: number;
  /** For `credits`: what the service said is needed, when it did. */
  needNano?: CreditsNano;
  /** For `credits`: the balances that are known not to suffice, as the refusal and the reads around it gave them. */
  seenNano?: CreditsNano[];
  /** For `key`: a mark of the key that was refused. */
  keyMark?: string;
}

/** What the semaphore carries from one run to the next. */
export interface SemaphoreState {
  /** After a foreign refusal the cap climbs back by one per this time. */
  climbMs: number;
  /** Divides the other service-side waits. */
  timeScale: number;
  planCap: number;
  /** Lowered after the service refused a job although slots were free by our count. */
  foreign: { cap: number; sinceMs: number } | null;
  nextGrant: number;
  /** The last holder that was asked after. */
  sweptGrant?: number;
  holders: Holder[];
  waiting: Waiting[];
  lastReleaseMs: number;
  /** When a refusal was last taken for the service's own bookkeeping. */
  excusedAtMs: number | null;
  pauses: PauseReason[];
  quiets: (Quiet & { job: JobKey })[];
  /** Lost answers of the last minutes. */
  cases: { job: JobKey; n: number; family: Provider; atMs: number }[];
  breakers: OpenBreaker[];
  /** When a family's breaker closed last. */
  closedMs?: Partial<Record<Provider, number>>;
  paces: Pace[];
  /** By kind, when the latest renders ended; absent in the state of an earlier callsheet. */
  renders?: Partial<Record<Kind, readonly RenderEnd[]>>;
  /** Who comes joins at what others had, who comes back stands no further behind; absent in a run of an earlier build. */
  countsHeld?: true;
  forgives?: true;
  /** The numbers of those that were named last, in turn; absent where they are to be named anew. */
  heirs?: number[];
  /** By batch. */
  shares: Record<string, Share>;
  /** So many orders about slots or requests are to be read from the home; absent = none. */
  limitsDue?: number;
  /** Reads of the account that failed last, and since when. */
  unread: { credits?: number; discounts?: number };
  dueMs?: Partial<Record<NowAndThen, number>>;
}

/** What a semaphore with work does again and again, beside its grants. */
export type NowAndThen = 'caps' | 'unread' | 'discounts' | 'network' | 'sweep';

/**
 * A slot given back, not before `notBeforeMs` where its job may still run. `renderMs`: the first poll that found it ended,
 * `ranMs`: the last that did not, where that can be learned from; `overCap`: refused for the service's own count,
 * `turnedAway`: never begun, `done`: a synchronous call gave its output, `answered`: refused for what it asked, `heir`:
 * the job that the slot was handed on to.
 */
export interface Release {
  grant: number;
  notBeforeMs?: number;
  renderMs?: number;
  ranMs?: number;
  overCap?: boolean;
  turnedAway?: TurnedAway;
  done?: boolean;
  answered?: boolean;
  heir?: Pick<Heir, 'job' | 'grant'>;
}
