import { type BookMessages, type Books, openBooks } from '../src/books/open-books.js';
import type { AccountSettings, Caps } from '../src/contract/account.js';
import type { LateOutputInput } from '../src/contract/attempts.js';
import type { AcquireFor, OutcomeKnown, OutputBlocked } from '../src/contract/messages.js';
import type { Granted, Heir, JobKey, NamedHeirs, OpenedCase, Release } from '../src/contract/semaphore.js';
import type { JobInput, LateHandleInput } from '../src/contract/workflows.js';
import type { Log } from '../src/domain/log.js';
import type { AwaitedCall } from '../src/domain/price.js';
import type { AccountRecords } from '../src/home/account-records.js';
import { type Claimer, newClaimer } from '../src/home/home-mark.js';
import type { Posters } from '../src/report/posters.js';
import type { Downloader } from '../src/service/download.js';
import type { Transport } from '../src/service/transport.js';
import type { OpenInput } from '../src/store/open-store.js';
import type { Store } from '../src/store/port.js';
import { openRenderMemory, type RenderMemory } from './row/render-memory.js';

/** What the activities of one account are handed by the composition root. */
export interface Handed extends AccountRecords {
  settings: AccountSettings;
  transport: Transport;
  requests: Requests;
  /** Tells the present key from others without showing any of it. */
  keyMark(): string;
  downloader: Downloader;
  /** Opens the store at an absolute folder or an `s3://` address. */
  openStore(location: string): Store;
  /** Opens an input at `s3://bucket/key`. */
  openInput: OpenInput;
  /** The service can read signed URLs of the S3 endpoint. */
  isS3Reachable: boolean;
  /** Makes the pictures of reports; absent where no other program may be started. */
  posters?: Posters;
  messenger: Messenger;
  log: Log;
  /** Called with every reading of the plan's caps, so that the api queue's rate follows them. */
  onCaps(caps: Caps): void;
  /** Called with every answer to a submit, and when that was sent, by `monotonic`: turned away for their rate, all else slows down. */
  onAnswered(isTurnedAway: boolean, sentMs: number): void;
  callers: Callers;
  /** Where one worker alone serves the account: grants reach its submits within the process. */
  standby?: Standby;
  /** Wall clock, epoch ms. */
  now(): number;
  /** A clock that never jumps, ms. */
  monotonic(): number;
}

/** The same with what this worker knows of the account while it serves it. */
export interface Dependencies extends Handed {
  books: Books;
  calls: PaidCalls;
  marks: HomeMarks;
  renders: RenderMemory;
  /** Inputs on their way into the home or to where the service reads them, by name: see `together`. */
  uploads: Map<string, Promise<void>>;
}

/** Opened once: all activities of the account remember the same. */
export function openDependencies(handed: Handed): Dependencies {
  const opened = { books: openBooks(handed), renders: openRenderMemory(handed) };
  return { ...handed, ...opened, calls: newPaidCalls(), marks: newHomeMarks(), uploads: new Map() };
}

/** What a worker knows of the paid requests that it makes, by the names of their attempts. */
export interface PaidCalls {
  /** How many submits are under way: an operator's reset starts a second beside the first. */
  underWay: Map<string, number>;
  /** Those that were claimed, so that their answer is paid for. */
  awaited: Map<string, AwaitedCall>;
  /** The nonces of claims that were written without a word that they were, and never sent. */
  unsent: Map<string, Set<string>>;
  /** Claims of a batch that go one after the other, by its name. */
  turns: Map<string, Promise<unknown>>;
  /** The worker ends: it claims nothing any more. */
  isEnding: boolean;
  /** When the semaphore was told last that the service refuses for the account's limits, by the clock that never jumps. */
  limitsToldAtMs: number;
}

function newPaidCalls(): PaidCalls {
  return {
    ...{ underWay: new Map(), awaited: new Map(), unsent: new Map(), turns: new Map() },
    ...{ isEnding: false, limitsToldAtMs: Number.NEGATIVE_INFINITY },
  };
}

/** What a worker knows of the marks beside its batches' outputs. */
export interface HomeMarks {
  claimer: Claimer;
  looks: Map<string, { atMs: number; isOwn: Promise<boolean> }>;
  /** Batches that claimed attempts since their mark was written. */
  behind: Set<string>;
}

function newHomeMarks(): HomeMarks {
  return { claimer: newClaimer(), looks: new Map(), behind: new Set() };
}

/** Requests are counted where they leave: each asks for its turn first. */
export interface Requests {
  /** 0 once it may leave, and is counted; where that is not within `patienceMs`, the ms until it could, and nothing is counted. */
  turn(patienceMs: number): Promise<number>;
  /** It leaves now: where that is long after its turn at `turnMs`, by the steady clock, it counts once more. */
  leaves(turnMs: number): void;
}

/** Submits of this process that wait for the grant of their job. */
export interface Standby {
  /** Whether more jobs may stand by. */
  hasRoom(): boolean;
  /** A job begins that will stand by: what came for an earlier one of its row is not its. */
  begin(job: JobKey): void;
  /** The grant, also one that came before; undefined where none comes within `ms`. */
  wait(job: JobKey, ms: number): Promise<Granted | 'withdrawn' | undefined>;
  /** Kept for a submit that does not stand by yet. */
  give(job: JobKey, granted: Granted): void;
  /** Whose turn is next, in place of those that were named before. */
  nameHeirs(named: NamedHeirs): void;
  /** Who gets the slot of a grant that goes back: the first that stands by now. Once for each grant and each heir. */
  takeHeir(grant: number): Heir | undefined;
  /** The job does not want its grant any more; gives one back that came and was not taken. */
  withdraw(job: JobKey): Granted | null;
}

/** Which process makes paid calls: a connection that nobody holds any more brings no answer. */
export interface Callers {
  /** This process, as its claims name it; null where the system does not tell processes apart for certain. */
  own: string | null;
  /** True only where that process has ended for certain. */
  isGone(caller: string): boolean;
}

/** Messages that activities send to workflows, and what they ask of the server. */
export interface Messenger extends BookMessages {
  ensureSemaphore(): Promise<void>;
  /**
   * Starts a job unless it is open, or was started after `sinceMs` (by the server's clock; null = cannot be). False for
   * one that was, and has ended since.
   */
  startJob(input: JobInput, sinceMs: number | null): Promise<boolean>;
  /** Asks for the slots of jobs, which wait for their grants. */
  acquireFor(asked: AcquireFor): Promise<void>;
  /** A job that has ended waits for no slot any more, and one that it was given goes back. */
  withdraw(job: JobKey): Promise<void>;
  /** Tells a job that it has a slot. False when it does not run. */
  granted(job: JobKey, message: Granted): Promise<boolean>;
  /** Gives a slot back. False when the semaphore is gone: its successor reads the ledger. */
  release(message: Release): Promise<boolean>;
  /** Something finished cannot be stored: the batch submits nothing new meanwhile. */
  outputBlocked(batch: string, what: OutputBlocked): Promise<void>;
  pauseBatch(batch: string): Promise<void>;
  /** To the semaphore; lost where none runs, since its successor reads the ledger. */
  submitted(grant: number): Promise<void>;
  caseOpened(opened: OpenedCase): Promise<void>;
  caseEnded(ended: { job: JobKey; created: boolean }): Promise<void>;
  limitsRefused(): Promise<void>;
  /** False when the job does not run. */
  outcomeKnown(job: JobKey, message: OutcomeKnown): Promise<boolean>;
  /** Has a handle that a callback named confirmed for a row whose case is settled without it. */
  confirmLate(input: LateHandleInput): Promise<void>;
  /** Has a paid output fetched on after its row has ended; once at a time. */
  fetchLate(input: LateOutputInput): Promise<void>;
  isBatchOpen(batch: string): Promise<boolean>;
}
