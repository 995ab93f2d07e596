import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, AttemptRef } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import type { CreditsRange } from '../domain/money.js';
import { handleOf, intentOf, isLost, type Standing, standingOf } from '../domain/standing.js';
import { nameOf } from '../home/attempts.js';
import type { BookedAttempt } from '../home/charge-book.js';
import type { OpenAttempt } from '../home/ledger.js';
import { adapterFor } from '../kinds/index.js';
import { modelOf } from '../manifest/columns.js';
import { endAbandoned } from './abandoned.js';
import { boundOf, costOf, expectedOf, legibleRow, wasRefunded } from './attempt-price.js';
import { type Case, type KnownAttempt, mayComeBack } from './check/evidence.js';
import { finishBooks } from './finish-books.js';
import { spentLabels } from './group-labels.js';
import type { Books } from './open-books.js';
import { discountedRange } from './prices/price-book.js';
import { followUpNano, hasFollowUp, withFollowUp } from './prices/row-price.js';
import { bornAfterMs, claimOverMs, followUpMs, lastedMs, lostAtMs, slotUntilMs } from './waits.js';

/** What is read of a long book is at hand: heartbeats and polls get their turn after so many entries. */
const AT_ONCE = 1_000;

/** An attempt of the account with what the balance shows of it. */
export interface NamedAttempt extends KnownAttempt, AttemptRef {
  kind: Kind;
  model: string | undefined;
  /** What it is without any discount; absent while it is open, and where nobody knows. */
  list?: CreditsRange;
}

/** An open case with what tells whether it is interchangeable with another. */
export interface OpenCase extends Case, AttemptRef {
  hasHandle: boolean;
  /** A verdict or a person has said what became of it. */
  isDecided: boolean;
  /** From then on nothing of it moves the balance any more, whether it was billed or not. */
  overMs: number;
  /** It may be counted together with others of the same key; null where its price is no exact one. */
  groupKey: string | null;
}

/** All attempts of the account that may have moved the balance since a time: known ones, oldest first, and open cases. */
export async function attemptsSince(
  books: Books,
  sinceMs: number,
): Promise<{ known: NamedAttempt[]; cases: OpenCase[] }> {
  const known: NamedAttempt[] = [];
  const cases = await eachAttemptSince(books, sinceMs, (one) => known.push(one));
  const overMs = ({ endedAtMs }: NamedAttempt): number => endedAtMs ?? Number.MAX_SAFE_INTEGER;
  return { known: known.sort((a, b) => overMs(a) - overMs(b)), cases };
}

/** The same where a batch may have had a million: the known ones are handed to `take`, one by one. */
export async function eachAttemptSince(
  books: Books,
  sinceMs: number,
  take: (known: NamedAttempt) => void,
): Promise<OpenCase[]> {
  // The index before the book: an attempt that ends meanwhile is then seen in both, never in neither.
  const listed = new Map<string, { open: OpenAttempt; attempt: Attempt }>();
  for await (const open of books.ledger.open()) {
    const attempt = await books.ledger.readAttempt(open);
    if (attempt !== undefined) listed.set(nameOf(open), { open, attempt });
  }
  const billed: NamedAttempt[] = [];
  let count = 0;
  for await (const entry of books.book.each(sinceMs)) {
    count += 1;
    if (count % AT_ONCE === 0) await sleep(0);
    // What may turn up of it later is known by the ledger.
    if (entry.end !== 'not_billed') listed.delete(nameOf(entry));
    const timing = await books.learned.timingOf(entry.kind, entry.model);
    const price = await priceNow(books, entry);
    const one: NamedAttempt = { ...entry, name: nameOf(entry), model: entry.model, timing, ...price };
    if (one.end === 'billed') billed.push(one);
    else take(one);
  }
  const spent = await spentLabels(books, new Set(billed.map(({ name }) => name)));
  for (const one of billed) if (!spent.has(one.name)) take(one);
  const cases: OpenCase[] = [];
  for (const { open, attempt } of listed.values()) {
    const standing = standingOf(attempt);
    // What a person says of a case moves no balance.
    const wasLost = isLost(standing) || standing === 'written_off';
    // A verdict whose entry in the book is still to come explains nothing yet.
    const isToCome = wasLost && slotUntilMs(books, attempt, open.kind) >= sinceMs;
    const isAbandonedClaim = isAbandoned(books, open.kind, attempt);
    if (isAbandonedClaim && hasFollowUp(open.kind)) take(await abandonedClaim(books, open, attempt));
    else if (standing === 'open_case' || isAbandonedClaim || isToCome)
      cases.push(await openCase(books, open.kind, open, attempt));
    else if (wasLost) await leaveIndex(books, open, attempt);
    else if (standing === 'refused') {
      const last = attempt.states.at(-1);
      if (wasRefunded(last))
        take({ ...(await openAttempt(books, open, attempt)), end: 'unbilled', endedAtMs: last.atMs });
    } else if (standing !== 'void' && standing !== 'not_billed') take(await openAttempt(books, open, attempt));
  }
  return cases;
}

const UNDECIDED: readonly Standing[] = ['open_case', 'claimed'];

/** A claim that nobody can be sending any more, and of which nobody has said what became of it. */
function isAbandoned(books: Books, kind: Kind, attempt: Attempt): boolean {
  const intent = intentOf(attempt);
  if (standingOf(attempt) !== 'claimed' || intent === undefined) return false;
  return books.now() > claimOverMs(books, kind, intent.atMs);
}

/** A lost attempt that was settled leaves the index once nothing of it can move the balance; the book has the rest. */
async function leaveIndex(books: Books, ref: OpenAttempt, attempt: Attempt): Promise<void> {
  const { learned, ledger } = books;
  const lambda = await learned.lambdaMs();
  const overMs = slotUntilMs(books, attempt, ref.kind);
  if (books.now() <= overMs + Math.max(2 * lambda, (await learned.rhoMs()) + lambda)) return;
  await finishBooks(books, ref, attempt);
  await ledger.close(ref);
}

/** What a booked attempt cost by the discounts that are known now: some are read only when others were booked. */
async function priceNow({ discounts }: Books, entry: BookedAttempt): Promise<CreditsRange> {
  const { kind, lo, hi, list, claimedAtMs, endedAtMs } = entry;
  if (list === undefined) return { lo, hi };
  return discountedRange(list, ...(await discounts.multipliers(adapterFor(kind), claimedAtMs, endedAtMs)));
}

/** An attempt without an answer as the credits check sees it. */
export async function openCase(books: Books, kind: Kind, ref: AttemptRef, attempt: Attempt): Promise<OpenCase> {
  const { batch, id, n } = ref;
  const intent = intentOf(attempt);
  // A torn claim has no time; its first later record bounds it.
  const claimedAtMs = intent?.atMs ?? attempt.states[0]?.atMs ?? books.now();
  const row = intent && (await legibleRow(books, ref, intent));
  const timing = await books.learned.timingOf(kind, row && modelOf(row));
  const price = await expectedOf(books, ref, attempt);
  const bornMs = bornAfterMs(books);
  const lastMs = lastedMs(books, kind, row);
  const isClaimOver = isAbandoned(books, kind, attempt);
  // However late somebody finds it: until then it would keep every other case of its price from a verdict.
  const lostMs = isClaimOver ? claimOverMs(books, kind, claimedAtMs) : lostAtMs(books, kind, attempt);
  const t0Ms = Math.max(claimedAtMs, lostMs);
  const dueAfterMs = timing === 'at-submit' ? bornMs : bornMs + lastMs;
  const backAfterMs = mayComeBack(timing) ? bornMs + lastMs + (await books.learned.rhoMs()) : null;
  const moreAfterMs = hasFollowUp(kind) ? bornMs + lastMs + followUpMs(books, kind) : undefined;
  return {
    ...{ batch, id, n, name: nameOf(ref), claimedAtMs },
    ...{ t0Ms, dueAfterMs, backAfterMs, moreAfterMs },
    overMs: t0Ms + Math.max(dueAfterMs, backAfterMs ?? 0, moreAfterMs ?? 0),
    price,
    isDecided: !UNDECIDED.includes(standingOf(attempt)),
    hasHandle: handleOf(attempt) !== undefined || attempt.states.some((s) => 'salvagedHandle' in s),
    groupKey: price !== null && price.lo === price.hi ? `${timing} ${price.lo}` : null,
  };
}

/** As an attempt whose charges come at two times: no count of cases tells of both. */
async function abandonedClaim(books: Books, open: OpenAttempt, attempt: Attempt): Promise<NamedAttempt> {
  const { overMs } = await openCase(books, open.kind, open, attempt);
  return { ...(await openAttempt(books, open, attempt)), end: 'undecided', endedAtMs: overMs };
}

/** An attempt that has not ended may have been charged anything up to its expected price. */
async function openAttempt(books: Books, open: OpenAttempt, attempt: Attempt): Promise<NamedAttempt> {
  const { batch, id, n, kind, atMs } = open;
  const intent = intentOf(attempt);
  const row = intent && (await legibleRow(books, open, intent));
  const model = row && modelOf(row);
  const cost = row && (await costOf(books, batch, row, intent));
  const price = row ? withFollowUp(row, cost ?? null) : intent && boundOf(intent);
  const one: NamedAttempt = {
    ...{ batch, id, n, name: nameOf(open), kind, model },
    timing: await books.learned.timingOf(kind, model),
    claimedAtMs: intent?.atMs ?? atMs,
    createdAtMs: attempt.states.find(({ state }) => state === 'created')?.atMs,
    runningAtMs: books.running.last(open),
    end: 'open',
    endedAtMs: null,
    ...(price ?? { lo: 0, hi: null }),
    laterNano: row ? followUpNano(row, cost ?? null) : hasFollowUp(kind) ? null : 0,
  };
  return standingOf(attempt) === 'created' ? endAbandoned(books, one, attempt, row) : one;
}
