import type { JobKey, RecoverResult, SweepAction } from '../contract/semaphore.js';
import { type Attempt, type AttemptRef, intentOf, isKnownUnbilled, isLost, standingOf } from '../domain/attempt.js';
import type { Breaker } from '../domain/breaker.js';
import { KINDS } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { readBreakers, writeBreakers } from '../store/breakers.js';
import type { OpenAttempt } from '../store/ledger.js';
import { rowOf } from './attempts-since.js';
import { nameAgain } from './contested.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { slotUntilMs } from './waits.js';

/** Holders per page of `recoverOpen`. */
const RECOVER_MAX = 15;

/** What the semaphore asks of the home. */
export interface SlotActivities {
  /** The account's open attempts that hold a slot at the service, from the ledger, and its breakers. */
  recoverOpen(input: { from: number }): Promise<RecoverResult>;
  /** Which holders of slots are gone without having sent anything. */
  sweepHolders(input: { jobs: JobKey[] }): Promise<SweepAction[]>;
  /** Keeps the breakers where a wiped server finds them. */
  keepBreakers(input: { breakers: Breaker[] }): Promise<void>;
  /** Returns once the home can be written. */
  probeRecords(): Promise<void>;
  ensureSemaphore(): Promise<void>;
}

export function slotActivities(deps: Dependencies): SlotActivities {
  return {
    recoverOpen: (input) => withRecords(() => recoverOpen(deps, input.from)),
    sweepHolders: (input) => withRecords(() => sweepHolders(deps, input.jobs)),
    keepBreakers: ({ breakers }) => withRecords(() => writeBreakers(deps.home, breakers)),
    probeRecords: () => withRecords(() => deps.home.store.probe()),
    ensureSemaphore: () => deps.messenger.ensureSemaphore(),
  };
}

async function recoverOpen(deps: Dependencies, from: number): Promise<RecoverResult> {
  const holders: RecoverResult['holders'] = [];
  const breakers = from === 0 ? { breakers: await readBreakers(deps.home), ...(await lastCap(deps)) } : {};
  let kept = 0;
  for await (const open of deps.ledger.open()) {
    if (holders.length >= RECOVER_MAX) return { holders, next: kept, ...breakers };
    const attempt = await readNamed(deps, open);
    const standing = attempt ? standingOf(attempt) : 'void';
    const kind = KINDS.indexOf(open.kind);
    const mayRunUntilMs = attempt ? slotUntilMs(deps, attempt, kind, await rowOfLost(deps, open, attempt)) : open.atMs;
    const isOver = isLost(standing) || (attempt !== undefined && (await endedUnfinished(deps, open, attempt)));
    const settled = isKnownUnbilled(standing) || standing === 'done' || standing === 'rendered';
    // Entries that are closed here do not count: the next page starts after as many kept ones.
    if (settled) await deps.ledger.close(open);
    else if (isOver && deps.now() > mayRunUntilMs) continue;
    else if (kept++ >= from) {
      const until = isOver ? { releaseAtMs: mayRunUntilMs } : {};
      const job = { batch: open.batch, id: open.id };
      holders.push({ job, kind, sinceMs: open.atMs, n: open.n, ...until });
    }
  }
  return { holders, next: null, ...breakers };
}

async function lastCap({ home, settings }: Dependencies): Promise<{ concurrent?: number }> {
  const cap = (await home.latestCheckpoint())?.concurrent ?? null;
  return cap === null ? {} : { concurrent: Math.min(cap, settings.limits.concurrency ?? cap) };
}

/** Its row ended while the service had not finished the job, as in `review` of a handle that is not found. */
async function endedUnfinished(deps: Dependencies, { batch, id }: JobKey, attempt: Attempt): Promise<boolean> {
  if (standingOf(attempt) !== 'created') return false;
  const record = await deps.records.readRecord(batch, id);
  return record !== undefined && record.finishedAtMs >= (attempt.states.at(-1)?.atMs ?? 0);
}

/** The row of a lost answer, whose length tells how long its job may run; undefined where it cannot be read. */
async function rowOfLost(deps: Dependencies, open: OpenAttempt, attempt: Attempt): Promise<Row | undefined> {
  const intent = intentOf(attempt);
  if (intent === undefined || !isLost(standingOf(attempt))) return undefined;
  return rowOf(deps, open, intent).catch(() => undefined);
}

/** A process that died before it named its handle leaves that to be done here. */
async function readNamed(deps: Dependencies, open: AttemptRef): Promise<Attempt | undefined> {
  const attempt = await deps.ledger.readAttempt(open);
  return attempt === undefined || (await nameAgain(deps, open, attempt)) ? attempt : deps.ledger.readAttempt(open);
}

async function sweepHolders(deps: Dependencies, jobs: JobKey[]): Promise<SweepAction[]> {
  const open = await deps.messenger.areOpen(jobs);
  return Promise.all(
    jobs.map(async (job, i): Promise<SweepAction> => {
      if (open[i]) return { job, action: 'keep' };
      const last = (await deps.ledger.read(job.batch, job.id)).at(-1);
      const standing = last ? standingOf(last) : 'void';
      const free = isKnownUnbilled(standing) || standing === 'done' || standing === 'rendered';
      // Nobody waits for it any more, and the service cannot still be at work on it.
      if (last && !free && (await endedUnfinished(deps, job, last))) return { job, action: endedAction(deps, last) };
      return { job, action: free ? 'free' : 'keep' };
    }),
  );
}

function endedAction(deps: Dependencies, attempt: Attempt): SweepAction['action'] {
  const kind = intentOf(attempt)?.kind;
  return kind !== undefined && deps.now() > slotUntilMs(deps, attempt, KINDS.indexOf(kind)) ? 'free' : 'keep';
}
