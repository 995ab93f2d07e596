import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { readRetryAfter, retryAfterNote } from '../src/service/errors.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';

/**
 * The one place where something that went wrong becomes a failure that Temporal keeps. Failures are stored in
 * histories, so they are built from codes and numbers alone: never a URL, a service message, a path or a key.
 */
export type FailureType =
  /** The job is still running: asked again after the schedule's gap. */
  | 'job.running'
  /** A free request was not answered as documented: asked again. */
  | 'service.unavailable'
  | 'service.key-refused'
  | 'download.interrupted'
  | 'records.unavailable'
  | 'output.unavailable'
  /** This worker cannot take frames of films, or not now. */
  | 'frames.unavailable'
  /** The worker ends: another one goes on. */
  | 'worker.ending';

/** To be tried again, after `delayMs` where one is given. `BENIGN` keeps what is expected out of logs and metrics. */
export function tryAgain(type: FailureType, code: string, delayMs?: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message: `${type}: ${code}`,
    nonRetryable: false,
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs === undefined ? {} : { nextRetryDelay: Math.max(1, Math.round(delayMs)) }),
  });
  // Histories keep stacks as well, and those name folders of the worker's machine.
  failure.stack = '';
  return failure;
}

/** So long may a read wait for its turn within its activity, ms. */
const TURN_MS = 5_000;

/** Waits for the turn of a free request; one that is far off is tried again then. */
export async function readTurn({ requests }: Pick<Dependencies, 'requests'>): Promise<void> {
  const waitMs = await requests.turn(TURN_MS);
  if (waitMs > 0) throw tryAgain('service.unavailable', 'turn', waitMs);
}

/** Runs a piece of work on the home; what its store says becomes a failure that is tried again. */
export async function withRecords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) throw tryAgain('records.unavailable', error.code);
    throw error;
  }
}

/** How long a 429 to a free read asks to wait, ms; what nobody can mean is said. Undefined where it asks for nothing. */
export function askedWaitMs({ log, now }: Dependencies, header: string | undefined): number | undefined {
  const asked = readRetryAfter(header, now());
  const note = retryAfterNote(header, asked);
  if (note !== undefined) log.warn({ waitMs: asked?.waitMs }, note);
  return asked?.waitMs;
}
