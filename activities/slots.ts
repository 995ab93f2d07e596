import { rowOf } from '../src/books/attempt-price.js';
import { finishBooks } from '../src/books/finish-books.js';
import { slotUntilMs } from '../src/books/waits.js';
import type { RecoverResult, SweepAction } from '../src/contract/recover.js';
import type { Granted, JobKey, NamedHeirs } from '../src/contract/semaphore.js';
import type { LimitsResult } from '../src/contract/semaphore-view.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import { DEFAULT_SLOT_TERMS } from '../src/domain/batch.js';
import type { Breaker, Kind } from '../src/domain/kind.js';
import { intentOf, isKnownUnbilled, isLost, standingOf } from '../src/domain/standing.js';
import { readBreakers, writeBreakers } from '../src/home/account-limits.js';
import { readBatchOrder } from '../src/home/batch-order.js';
import { KINDS } from '../src/kinds/facts.js';
import { askDiscounts, forAMoment, lastCaps, takeCaps } from './account.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { nameAgain } from './row/contested.js';
import { inspect } from './settle.js';

/** Holders per page of `recoverOpen`. */
const RECOVER_MAX = 15;
/** A batch begins with discounts that are no older, ms: its plan was made with those of that moment. */
const AS_PLANNED_MS = 10_000;

/** What the semaphore asks of the home. */
export interface SlotActivities {
  /** The account's open attempts that hold a slot at the service, from the ledger, and its breakers. */
  recoverOpen(input: { from: NonNullable<RecoverResult['next']> }): Promise<RecoverResult>;
  /** The account's cap and how batches share the slots, as ordered; the requests per minute are set at once. */
  readLimits(input: { batches: string[] }): Promise<LimitsResult>;
  /** Which holders of slots are gone without having sent anything. */
  sweepHolders(input: { jobs: JobKey[] }): Promise<SweepAction[]>;
  /** Keeps the breakers where a wiped server finds them. */
  keepBreakers(input: { breakers: Breaker[] }): Promise<void>;
  /** Returns once the home can be written. */
  probeRecords(): Promise<void>;
  ensureSemaphore(): Promise<void>;
  /**
   * Within the worker to a submit that stands by, else to its job. Where that does not run, a grant that is told for the
   * first time is given back; false where it may have run by an earlier telling.
   */
  tellGrant(input: { job: JobKey; message: Granted; standsBy?: true; isFresh?: true }): Promise<boolean>;
  /** Whose turn is next, in place of those that were named before. */
  nameHeirs(named: NamedHeirs): Promise<void>;
  /** Ends a submit that stands by, unless it has its grant; gives back a grant that it did not take. */
  endStandby(job: JobKey): Promise<Granted | null>;
}

export function slotActivities(deps: Dependencies): SlotActivities {
  return {
    recoverOpen: (input) => withRecords(() => recoverOpen(deps, input.from)),
    readLimits: ({ batches }) => withRecords(() => readLimits(deps, batches)),
    sweepHolders: (input) => withRecords(() => sweepHolders(deps, input.jobs)),
    keepBreakers: ({ breakers }) => withRecords(() => writeBreakers(deps.home, breakers)),
    probeRecords: () => withRecords(() => deps.home.store.probe()),
    async ensureSemaphore() {
      await forAMoment(deps, refreshDiscounts(deps), 'the discounts are those read before');
      await deps.messenger.ensureSemaphore();
    },
    tellGrant: (told) => tellGrant(deps, told),
    nameHeirs: async (named) => deps.standby?.nameHeirs(named),
    endStandby: async (job) => deps.standby?.withdraw(job) ?? null,
  };
}

/** Nobody asks for discounts while an account rests. */
async function refreshDiscounts(deps: Dependencies): Promise<void> {
  const untilMs = await deps.books.discounts.knownUntilMs();
  // Of an account that was never read the semaphore asks when it begins.
  if (Number.isFinite(untilMs) && untilMs < deps.now() - AS_PLANNED_MS) await askDiscounts(deps);
}

async function tellGrant(
  deps: Dependencies,
  { job, message, standsBy, isFresh }: Parameters<SlotActivities['tellGrant']>[0],
): Promise<boolean> {
  if (standsBy && deps.standby !== undefined) {
    deps.standby.give(job, message);
    return true;
  }
  if (await deps.messenger.granted(job, message)) return true;
  if (!isFresh) return false;
  // By a message: what the semaphore itself did next would follow the answer of a local activity, and where a query comes
  // between, a replay has that answer at another place.
  const [judged] = await sweepHolders(deps, [job]);
  if (judged?.action === 'free') await deps.messenger.withdraw(job);
  return true;
}

async function recoverOpen(deps: Dependencies, from: NonNullable<RecoverResult['next']>): Promise<RecoverResult> {
  const holders: RecoverResult['holders'] = [];
  const breakers = typeof from === 'number' ? { breakers: await readBreakers(deps.home), ...(await capOf(deps)) } : {};
  let last = from;
  for await (const open of deps.ledger.open()) {
    const name = deps.home.keys.open(open);
    // By its name: what is closed between two pages would move a count.
    if (typeof from === 'string' && name <= from) continue;
    if (holders.length >= RECOVER_MAX) return { holders, next: last, ...breakers };
    last = name;
    const attempt = await readNamed(deps, open);
    const standing = attempt ? standingOf(attempt) : 'void';
    const kind = open.kind;
    const isOver = attempt !== undefined && (await isAbandoned(deps, open, attempt));
    const releaseAtMs = isOver ? await inUseUntilMs(deps, open, attempt, open.kind) : undefined;
    const settled = isKnownUnbilled(standing) || standing === 'done' || standing === 'rendered';
    if (settled) {
      if (attempt) await finishBooks(deps.books, open, attempt);
      await deps.ledger.close(open);
    } else if (releaseAtMs !== undefined && deps.now() > releaseAtMs) continue;
    else {
      const until = releaseAtMs === undefined ? {} : { releaseAtMs };
      const job = { batch: open.batch, id: open.id };
      holders.push({ job, kind, sinceMs: open.atMs, n: open.n, ...until });
    }
  }
  return { holders, next: null, ...breakers };
}

async function readLimits(deps: Dependencies, batches: string[]): Promise<LimitsResult> {
  const terms = batches.map(async (batch) => {
    return { batch, ...((await readBatchOrder(deps.home, batch))?.slots ?? DEFAULT_SLOT_TERMS) };
  });
  // Together: what fails while another one is awaited would be nobody's, and end the worker.
  const [cap, ...all] = await Promise.all([capOf(deps), ...terms]);
  return { ...cap, batches: all };
}

async function capOf(deps: Dependencies): Promise<{ concurrent?: number }> {
  const caps = await lastCaps(deps);
  if (caps === undefined) return {};
  takeCaps(deps, caps);
  return { concurrent: caps.concurrent };
}

/** Nobody waits for it any more though its job may run: its answer is lost, or its row ended first, as `review`. */
async function isAbandoned(deps: Dependencies, { batch, id }: JobKey, attempt: Attempt): Promise<boolean> {
  const standing = standingOf(attempt);
  if (isLost(standing)) return true;
  if (standing !== 'created' && standing !== 'open_case') return false;
  const record = await deps.records.readRecord(batch, id);
  return record !== undefined && record.finishedAtMs >= (attempt.states.at(-1)?.atMs ?? 0);
}

/** Until when the attempt's job may run: an accepted one from then on, one without an answer by its times as a case. */
async function inUseUntilMs(
  deps: Dependencies,
  { batch, id }: JobKey,
  attempt: Attempt,
  kind: Kind | undefined = intentOf(attempt)?.kind,
): Promise<number> {
  // A torn claim: nobody can say what was sent, so it lasts as the longest does.
  if (kind === undefined) return Math.max(...KINDS.map((one) => slotUntilMs(deps, attempt, one)));
  const intent = intentOf(attempt);
  // The row tells how long its job may run, where it can be read.
  const row = intent && (await rowOf(deps, { batch, id, n: attempt.n }, intent).catch(() => undefined));
  return slotUntilMs(deps, attempt, kind, row);
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
      const last = await lastAttempt(deps, job);
      const standing = last ? standingOf(last) : 'void';
      if (last === undefined || isKnownUnbilled(standing) || standing === 'done' || standing === 'rendered') {
        return { job, action: 'free' };
      }
      // Nobody releases it any more: it goes back by itself, once what was sent can no longer run.
      return { job, action: deps.now() > (await inUseUntilMs(deps, job, last)) ? 'free' : 'keep' };
    }),
  );
}

/** The last attempt of a row whose job is gone; a claim that nobody is sending any more is a case from here on (T12). */
async function lastAttempt(deps: Dependencies, { batch, id }: JobKey): Promise<Attempt | undefined> {
  const last = (await deps.ledger.read(batch, id)).at(-1);
  if (last === undefined || standingOf(last) !== 'claimed') return last;
  const ref = { batch, id, n: last.n };
  await inspect(deps, ref);
  return deps.ledger.readAttempt(ref);
}
