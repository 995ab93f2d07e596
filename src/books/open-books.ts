import type { AccountReading, AccountSettings } from '../contract/account.js';
import type { RowFinished } from '../contract/messages.js';
import type { RowRef } from '../contract/workflows.js';
import type { AttemptRef } from '../domain/attempt.js';
import type { Log } from '../domain/log.js';
import type { AccountRecords } from '../home/account-records.js';
import { nameOf } from '../home/attempts.js';
import { type Discounts, openDiscounts } from './discounts.js';
import { type Learned, openLearned } from './learned.js';

/** What the books of an account are opened over. */
export interface BooksOver extends AccountRecords {
  settings: AccountSettings;
  messenger: BookMessages;
  log: Log;
  /** Wall clock, epoch ms. */
  now(): number;
}

/** Whom the books tell that a row came out otherwise than it was counted. */
export interface BookMessages {
  /** False when the batch does not run: its record is then all that is needed. */
  rowFinished(batch: string, report: RowFinished): Promise<boolean>;
  /** Has the results of a batch that has ended written once more. */
  rewriteResults(batch: string): Promise<void>;
  /** Tells a batch that runs of a row that may go on; false when it does not run, and the next `run` finds the row. */
  reopen(order: { generation: string; rows: number; row: RowRef }): Promise<boolean>;
  /** Whether each of these rows has a job that runs. */
  areOpen(rows: { batch: string; id: string }[]): Promise<boolean[]>;
}

/** The money of one account: what its attempts cost, what its balance tells of lost answers, and what it taught. */
export interface Books extends BooksOver {
  learned: Learned;
  discounts: Discounts;
  running: Running;
  /** When what a lost answer named was asked after last, and how many handles of callbacks, by the attempt's name. */
  asked: Map<string, { atMs: number; noted: number }>;
  /** The newest reading of balance and caps that this process has, if any. */
  latest?: { value: AccountReading; atMs: number };
  /** Readings are used one at a time: until then. */
  using: Promise<void>;
  /** The use that begins once that has ended. */
  nextUse?: Promise<void>;
}

/** Opened once for a worker or a command, so that all of it remembers the same; reads and writes nothing by itself. */
export function openBooks(over: BooksOver): Books {
  const learned = openLearned(over);
  return {
    ...over,
    learned,
    discounts: openDiscounts(over, learned),
    running: openRunning(over),
    asked: new Map(),
    using: Promise.resolve(),
  };
}

/**
 * When each job was last seen running: until then nothing of its end can have been booked. Kept in memory alone, since
 * without it the credits check only knows less.
 */
export type Running = ReturnType<typeof openRunning>;

export function openRunning({ log, now }: { log: Log; now(): number }) {
  const seen = new Map<string, number>();
  const long = new Set<string>();
  return {
    note: (ref: AttemptRef, askedAtMs: number): void => void seen.set(nameOf(ref), askedAtMs),
    last: (ref: AttemptRef): number | undefined => seen.get(nameOf(ref)),
    forget: (ref: AttemptRef): void => {
      long.delete(nameOf(ref));
      seen.delete(nameOf(ref));
    },
    /** Says once that a job renders for longer than any should: it may still end, and its slot stays held. */
    warnIfLong: (ref: AttemptRef, longestUntilMs: number): void => {
      if (now() <= longestUntilMs || long.has(nameOf(ref))) return;
      long.add(nameOf(ref));
      log.warn({ ...ref }, 'a job renders for longer than the longest render');
    },
  };
}
