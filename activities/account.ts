import { setTimeout as sleep } from 'node:timers/promises';
import { knownPrices } from '../src/books/credits.js';
import type { KnownPrices } from '../src/books/prices/row-price.js';
import { closeBooks, noteReading } from '../src/books/readings.js';
import { spentOf } from '../src/books/spent.js';
import type { AccountReadInput, AccountReading, AccountReadResult, Caps } from '../src/contract/account.js';
import type { MarkStoppedInput, MarkStoppedResult, SpentResult } from '../src/contract/pages.js';
import { defined } from '../src/domain/defined.js';
import type { Answer, ServiceRequest } from '../src/domain/exchange.js';
import { changeAccountLimits, readAccountLimits } from '../src/home/account-limits.js';
import { markStopped } from '../src/home/batch-marks.js';
import { readMeasuredPrices } from '../src/home/learned.js';
import { dropReruns } from '../src/home/row-orders.js';
import { VOICES_REQUEST } from '../src/kinds/vendor-b/wire.js';
import { CREDITS_REQUEST, DISCOUNTS_REQUEST, readCredits, readDiscounts } from '../src/service/account.js';
import type { Dependencies, Handed } from './dependencies.js';
import { askedWaitMs, readTurn, tryAgain, withRecords } from './failures.js';
import { withHeartbeat } from './heartbeat.js';
import { refreshMarks } from './row/home-marks.js';
import { shareReads } from './shared-read.js';

/** Service document 1, Limits. */
const CONCURRENT_UNKNOWN = 5;

/** So long what begins waits for a first reading, ms. */
const FIRST_READ_MS = 2_000;

type Asked = { askedMs: number; keyMark: string };

export interface AccountActivities {
  /** Balance and caps, at most `maxAgeMs` old; each new reading is a checkpoint of the balance. */
  readAccount(input: { maxAgeMs: number }): Promise<AccountReading>;
  /** Active discounts, cached for minutes; with `sinceMs` as they were asked for then or later. */
  readDiscounts(input?: { sinceMs: number }): Promise<void>;
  /** Ends once a free read gets any answer over HTTP, whatever it says; until then it is tried again. */
  reachService(): Promise<void>;
  /** A read for the command line: the answer's JSON is put into the home and its key returned. */
  readForClient(input: Omit<AccountReadInput, 'account'>): Promise<AccountReadResult>;
  /** The most that a batch can have cost so far, from the books and the open attempts. */
  readSpent(input: { batch: string }): Promise<SpentResult>;
  /** From here on rows that were never tried count as not started, for this reason. */
  markStopped(input: MarkStoppedInput): Promise<MarkStoppedResult>;
  /** Uses the last reading of the balance, writes what the account spent since the batch began, and ends its own rpm. */
  closeBooks(input: { batch: string; sinceMs: number }): Promise<void>;
}

export function accountActivities(deps: Dependencies): AccountActivities {
  const readShared = shareReads(
    () => readNow(deps),
    () => deps.now(),
  );
  return {
    async readAccount({ maxAgeMs }) {
      const known = deps.books.latest;
      if (known && deps.now() - known.atMs <= maxAgeMs) return known.value;
      return readShared(maxAgeMs);
    },
    async readDiscounts(input) {
      if (!(await deps.books.discounts.areFresh(input?.sinceMs))) await askDiscounts(deps);
    },
    async reachService() {
      await readTurn(deps);
      const exchange = await deps.transport.send(CREDITS_REQUEST);
      const isHttp = exchange.outcome === 'answered' || (exchange.outcome === 'lost' && exchange.status !== undefined);
      if (!isHttp) throw tryAgain('service.unavailable', exchange.code);
    },
    async readForClient({ what }) {
      const request = { credits: CREDITS_REQUEST, discounts: DISCOUNTS_REQUEST, voices: VOICES_REQUEST }[what];
      const asked = askedNow(deps);
      const answer = await ask(deps, request);
      // Whoever asked is told of an answer that cannot be read; for the account it is none.
      if (what === 'credits' && readCredits(answer).reading === 'ok') await takeCredits(deps, answer, asked);
      const key = deps.home.keys.read(what);
      await deps.home.store.put(key, answer.body);
      return { key };
    },
    readSpent: ({ batch }) => withRecords(() => spentOf(deps, batch, () => latestPrices(deps, batch))),
    markStopped: ({ batch, reason, under }) =>
      withRecords(async () => {
        const lifted = await markStopped(deps.home, batch, reason, { atMs: deps.now(), under });
        if (lifted === undefined) await dropReruns(deps, batch, deps.now());
        return defined({ lifted });
      }),
    closeBooks: ({ batch, sinceMs }) =>
      withHeartbeat(() =>
        withRecords(async () => {
          await endLimitOf(deps, batch);
          await closeBooks(deps.books, batch, sinceMs);
        }),
      ),
  };
}

/** Simultaneous jobs that a batch's window is made for; the smallest plan's where nothing is known of the plan. */
export async function windowCap(deps: Dependencies): Promise<number> {
  const known = deps.books.latest?.value ?? (await lastCaps(deps));
  return known?.concurrent ?? CONCURRENT_UNKNOWN;
}

/** Other caps hold from now on, of the same plan. */
export function takeCaps(deps: Dependencies, caps: Caps): void {
  const { latest } = deps.books;
  if (latest !== undefined) latest.value = { ...latest.value, ...caps };
  deps.onCaps(caps);
}

/** What a batch was run with bounds the account no longer than the batch runs. */
async function endLimitOf(deps: Dependencies, batch: string): Promise<void> {
  // Hardly any batch has one: no turn is taken for the others.
  if ((await readAccountLimits(deps.home)).ofBatch?.batch !== batch) return;
  const changed = await changeAccountLimits(deps.home, ({ ofBatch, ...limits }) =>
    ofBatch?.batch === batch ? limits : undefined,
  );
  if (changed === undefined) return;
  const caps = await lastCaps(deps);
  if (caps !== undefined) takeCaps(deps, caps);
}

export async function askDiscounts(deps: Dependencies): Promise<void> {
  const askedMs = deps.now();
  const read = readDiscounts(await ask(deps, DISCOUNTS_REQUEST));
  if (read.reading === 'unreadable') throw tryAgain('service.unavailable', 'unreadable discounts');
  await deps.books.discounts.keep(read.value, askedMs);
}

/** A reading that is had if it comes soon; where it fails, the log says what holds otherwise. */
export function forAMoment<T>({ log }: Dependencies, read: Promise<T>, otherwise: string): Promise<T | undefined> {
  const orTold = read.catch((error) => void log.warn({ error: String(error) }, otherwise));
  return Promise.race([orTold, sleep(FIRST_READ_MS, undefined, { ref: false })]).then((found) => found ?? undefined);
}

/** When and with which key a read is asked: either may be another once it is answered. */
function askedNow(deps: Dependencies): Asked {
  return { askedMs: deps.now(), keyMark: deps.keyMark() };
}

async function takeCredits(deps: Dependencies, answer: Answer, { askedMs, keyMark }: Asked): Promise<AccountReading> {
  const read = readCredits(answer);
  if (read.reading === 'unreadable') throw tryAgain('service.unavailable', 'unreadable credits');
  const { creditsRemainingNano: balanceNano, rpmLimit: rpm, concurrentLimit: concurrent, planLevel: plan } = read.value;
  const atMs = deps.now();
  const [lambdaMs, caps] = await Promise.all([
    deps.books.learned.lambdaMs(),
    capsInForce(deps, { concurrent, rpm }),
    deps.home.addCheckpoint({ askedMs, atMs, balanceNano, rpm, concurrent, plan }),
  ]);
  const value: AccountReading = { ...caps, balanceNano, shownUntilMs: askedMs - lambdaMs, keyMark };
  deps.books.latest = { value, atMs };
  deps.onCaps(value);
  noteReading(deps.books);
  void refreshMarks(deps);
  return value;
}

/** One free read; anything but a 200 is tried again later. */
async function ask(deps: Dependencies, request: ServiceRequest): Promise<Answer> {
  await readTurn(deps);
  const exchange = await deps.transport.send(request);
  if (exchange.outcome !== 'answered') throw tryAgain('service.unavailable', exchange.code);
  const { answer } = exchange;
  if (answer.status === 200) return answer;
  if (answer.status === 401) throw tryAgain('service.key-refused', '401', 15_000 / deps.settings.timeScale);
  const delayMs = answer.status === 429 ? (askedWaitMs(deps, answer.retryAfter) ?? 2_000) : undefined;
  throw tryAgain('service.unavailable', String(answer.status), delayMs);
}

/** What the account may have now: the plan's, or less where it was ordered or the settings say so. */
export async function capsInForce({ home, settings }: Handed, plan: Caps): Promise<Caps> {
  const ordered = await readAccountLimits(home);
  const { concurrency, rpm } = settings.limits;
  return {
    concurrent: Math.min(plan.concurrent, ordered.concurrency ?? concurrency ?? plan.concurrent),
    rpm: Math.min(plan.rpm, ordered.rpm ?? rpm ?? plan.rpm, ordered.ofBatch?.rpm ?? plan.rpm),
  };
}

/** By the newest reading of the plan that the home has, without a request; undefined where it was never read. */
export async function lastCaps(deps: Handed): Promise<Caps | undefined> {
  const plan = await deps.home.latestCheckpoint();
  if (plan === undefined || plan.concurrent === null || plan.rpm === null) return undefined;
  return capsInForce(deps, { concurrent: plan.concurrent, rpm: plan.rpm });
}

/**
 * The caps that a worker begins with, so that the first rows of a large plan need not go at the smallest one's rate. Of an
 * account that was never read the service is asked, for a moment.
 */
export async function firstCaps(deps: Dependencies): Promise<Caps | undefined> {
  return (await lastCaps(deps)) ?? forAMoment(deps, readNow(deps), 'the caps are not known yet');
}

async function readNow(deps: Dependencies): Promise<AccountReading> {
  const asked = askedNow(deps);
  return takeCredits(deps, await ask(deps, CREDITS_REQUEST), asked);
}

/** As they stand in the home: what another worker has measured a moment ago may have let a person approve the rest. */
export async function latestPrices({ books }: Dependencies, batch: string): Promise<KnownPrices> {
  return { ...(await knownPrices(books, batch)), measured: await readMeasuredPrices(books.home) };
}
