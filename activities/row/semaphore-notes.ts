import type { GivenBack, HeldGrant, SubmitResult } from '../../src/contract/attempts.js';
import type { Quiet, Release } from '../../src/contract/semaphore.js';
import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import { defined } from '../../src/domain/defined.js';
import { intentOf, standingOf } from '../../src/domain/standing.js';
import type { Dependencies } from '../dependencies.js';
import { mayClaim } from './claims.js';

/**
 * What activities tell the semaphore by themselves, so that no job's history grows by it. A message that is not heard
 * costs waiting time, never money: it fails in the log alone.
 */

/** A storm of refusals is told once in this time, ms. */
const LIMITS_EVERY_MS = 10_000;

/** What a submit's result means for others: its family is free again, or the account's limits have changed. */
export async function noteResult(
  deps: Dependencies,
  grant: number | null,
  result: SubmitResult,
  sentMs: number,
): Promise<void> {
  const refused = result.outcome === 'refused' ? result.next : undefined;
  const standing = result.outcome === 'standing' ? result.standing : undefined;
  const isTurnedAway = refused === 'wait_turn';
  const wasSent = refused !== undefined && refused !== 'retry_backoff';
  if (wasSent || standing === 'created' || standing === 'done') deps.onAnswered(isTurnedAway, sentMs);
  if (isTurnedAway) return noteLimits(deps);
  if (standing === 'created' && grant !== null) return heard(deps, () => deps.messenger.submitted(grant));
}

/**
 * An attempt's answer is lost, as the ledger has it now; `quiet`: when nothing should be submitted for its sake. A claim
 * whose call still runs, though the server gave its activity up, is in flight: nothing of it is lost, nor of its family.
 */
export async function noteCase(
  deps: Dependencies,
  ref: AttemptRef,
  attempt: Attempt | undefined,
  quiet?: Quiet,
): Promise<void> {
  const intent = attempt && intentOf(attempt);
  if (attempt === undefined || intent === undefined || standingOf(attempt) === 'claimed') return;
  const { batch, id, n } = ref;
  await heard(deps, () =>
    deps.messenger.caseOpened({
      job: { batch, id },
      n,
      kind: intent.kind,
      atMs: intent.atMs,
      lostMs: lostMs(attempt) ?? intent.atMs,
      ...defined({ quiet }),
    }),
  );
}

/** When its answer was lost; of a process that ended nobody knows that: it is as old as its claim. */
function lostMs({ states }: Attempt): number | undefined {
  const lost = states.find((state) => state.state === 'unknown' || state.state === 'created_lost');
  return lost && 'evidence' in lost && lost.evidence.rule !== 'T12' ? lost.atMs : undefined;
}

/** A case has its verdict, or a late state has made one needless. */
export function noteCaseEnd(deps: Dependencies, { batch, id }: AttemptRef, created: boolean): Promise<void> {
  return heard(deps, () => deps.messenger.caseEnded({ job: { batch, id }, created }));
}

/** The service refused a request for the account's limits. */
export async function noteLimits(deps: Dependencies): Promise<void> {
  const nowMs = deps.monotonic();
  if (nowMs - deps.calls.limitsToldAtMs < LIMITS_EVERY_MS) return;
  deps.calls.limitsToldAtMs = nowMs;
  await heard(deps, () => deps.messenger.limitsRefused());
}

async function heard(deps: Dependencies, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    deps.log.warn({ error: String(error) }, 'the semaphore could not be told');
  }
}

/**
 * Gives a job's slot back as soon as its end at the service is in the ledger: books and files can wait, the next job
 * need not, nor does it wait for the semaphore where that has said before whose turn is next. Where the semaphore cannot be
 * told, the job's workflow tells it.
 */
export async function giveBack(
  deps: Dependencies,
  { grant }: HeldGrant,
  how: Pick<Release, 'renderMs' | 'ranMs' | 'done'>,
): Promise<GivenBack> {
  if (grant === null) return {};
  const { standby, messenger } = deps;
  const heir = mayClaim(deps) ? standby?.takeHeir(grant) : undefined;
  try {
    const handedOn = heir ? { heir: { job: heir.job, grant: heir.grant } } : {};
    if (!(await messenger.release({ grant, ...how, ...handedOn }))) return {};
    // Not sooner: a slot that two jobs use would be one above the cap after a crash.
    if (heir) standby?.give(heir.job, { grant: heir.grant, expected: heir.expected });
    return { released: true };
  } catch (error) {
    deps.log.warn({ grant, error: String(error) }, 'the slot could not be given back at once; its job will');
    return {};
  }
}
