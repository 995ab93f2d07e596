import { type Case, type KnownAttempt, mayComeBack } from '../src/books/check/evidence.js';
import { discounted } from '../src/books/prices/price-book.js';
import { followUpNano, hasFollowUp } from '../src/books/prices/row-price.js';
import type { Attempt, AttemptRef, Intent } from '../src/domain/attempt.js';
import { KINDS, type Kind } from '../src/domain/kind.js';
import type { CreditsRange } from '../src/domain/money.js';
import type { Row } from '../src/domain/row.js';
import { handleOf, intentOf, isLost, standingOf } from '../src/domain/standing.js';
import type { BookedAttempt } from '../src/home/charge-book.js';
import type { OpenAttempt } from '../src/home/ledger.js';
import { adapterFor } from '../src/kinds/index.js';
import { modelOf } from '../src/manifest/columns.js';
import type { Dependencies } from './dependencies.js';
import { multipliersOf } from './discounts.js';
import { lambdaMs, rhoMs, timingOf } from './learned.js';
import { expectedCredits, widest, withFollowUp } from './prices.js';
import { loadRow } from './row-work.js';
import { lastRunning, nameOf } from './running.js';
import { bornAfterMs, lastedMs, lostAtMs, slotUntilMs } from './waits.js';

/** An attempt of the account with what the balance shows of it. */
export interface NamedAttempt extends AttemptRef {
  name: string;
  kind: Kind;
  model: string | undefined;
  known: KnownAttempt;
}

/** An open case with what tells whether it is interchangeable with another. */
export interface OpenCase extends Case, AttemptRef {
  hasHandle: boolean;
  /** It may be counted together with others of the same key; null where its price is no exact one. */
  groupKey: string | null;
}

/** All attempts of the account that may have moved the balance since a time: known ones, and open cases. */
export async function attemptsSince(
  deps: Dependencies,
  sinceMs: number,
): Promise<{ known: NamedAttempt[]; cases: OpenCase[] }> {
  // The index before the book: an attempt that ends meanwhile is then seen in both, never in neither.
  const listed: { open: OpenAttempt; attempt: Attempt }[] = [];
  for await (const open of deps.ledger.open()) {
    const attempt = await deps.ledger.readAttempt(open);
    if (attempt !== undefined) listed.push({ open, attempt });
  }
  const known: NamedAttempt[] = [];
  const cases: OpenCase[] = [];
  const booked = new Set<string>();
  for (const entry of await deps.book.since(sinceMs)) {
    const { batch, id, n, kind, model, list: _, ...rest } = entry;
    // What may turn up of it later is known by the ledger.
    if (entry.end !== 'not_billed') booked.add(nameOf(entry));
    const timing = await timingOf(deps, kind, model);
    const price = await priceNow(deps, entry);
    known.push({ batch, id, n, kind, model, name: nameOf(entry), known: { timing, ...rest, ...price } });
  }
  for (const { open, attempt } of listed) {
    if (booked.has(nameOf(open))) continue;
    const standing = standingOf(attempt);
    // A verdict whose entry in the book is still to come explains nothing yet.
    const isToCome = isLost(standing) && slotUntilMs(deps, attempt, KINDS.indexOf(open.kind)) >= sinceMs;
    if (standing === 'open_case' || isToCome) cases.push(await openCase(deps, open.kind, open, attempt));
    else if (isLost(standing)) await leaveIndex(deps, open, attempt);
    else if (standing !== 'void' && standing !== 'refused' && standing !== 'not_billed') {
      known.push(await openAttempt(deps, open, attempt));
    }
  }
  return { known, cases };
}

/** A lost attempt that was settled leaves the index once nothing of it can move the balance; the book has the rest. */
async function leaveIndex(deps: Dependencies, ref: OpenAttempt, attempt: Attempt): Promise<void> {
  const lambda = await lambdaMs(deps);
  const overMs = lostAtMs(deps, ref.kind, attempt) + bornAfterMs(deps) + lastedMs(deps, ref.kind);
  if (deps.now() > overMs + Math.max(2 * lambda, (await rhoMs(deps)) + lambda)) await deps.ledger.close(ref);
}

/** What a booked attempt cost by the discounts that are known now: some are read only when others were booked. */
async function priceNow(deps: Dependencies, entry: BookedAttempt): Promise<CreditsRange> {
  const { kind, lo, hi, list, claimedAtMs, endedAtMs } = entry;
  if (list === undefined) return { lo, hi };
  const multipliers = await multipliersOf(deps, adapterFor(kind), claimedAtMs, endedAtMs);
  return {
    lo: discounted(list.lo, Math.min(...multipliers)),
    hi: list.hi === null ? null : discounted(list.hi, Math.max(...multipliers)),
  };
}

/** An attempt without an answer as the credits check sees it. */
export async function openCase(deps: Dependencies, kind: Kind, ref: AttemptRef, attempt: Attempt): Promise<OpenCase> {
  const { batch, id, n } = ref;
  const intent = intentOf(attempt);
  // A torn claim has no time; its first later record bounds it.
  const claimedAtMs = intent?.atMs ?? attempt.states[0]?.atMs ?? deps.now();
  const row = intent && (await rowOf(deps, ref, intent));
  const timing = await timingOf(deps, kind, row && modelOf(row));
  const price = await expectedOf(deps, ref, attempt);
  const bornMs = bornAfterMs(deps);
  const lastMs = lastedMs(deps, kind, row);
  return {
    batch,
    id,
    n,
    name: nameOf(ref),
    claimedAtMs,
    t0Ms: Math.max(claimedAtMs, lostAtMs(deps, kind, attempt)),
    dueAfterMs: timing === 'at-submit' ? bornMs : bornMs + lastMs,
    backAfterMs: mayComeBack(timing) ? bornMs + lastMs + (await rhoMs(deps)) : null,
    price,
    hasHandle: handleOf(attempt) !== undefined || attempt.states.some((s) => 'salvagedHandle' in s),
    groupKey: price !== null && price.lo === price.hi ? `${timing} ${price.lo}` : null,
  };
}

/**
 * What an attempt would cost in all, by what was known at its claim and by what is known of discounts and prices now.
 */
export async function expectedOf(deps: Dependencies, ref: AttemptRef, attempt: Attempt): Promise<CreditsRange | null> {
  const intent = intentOf(attempt);
  if (!intent) return null;
  const row = await rowOf(deps, ref, intent);
  return withFollowUp(row, await costOf(deps, ref.batch, row, intent));
}

/** Without what may be charged after the end. */
async function costOf(
  deps: Dependencies,
  batch: string,
  row: Row,
  { expected, atMs, kind }: Intent,
): Promise<CreditsRange | null> {
  const now = await expectedCredits(deps, batch, row, adapterFor(kind), atMs);
  return expected === null ? now : widest(expected, now ?? expected);
}

/** The row of an attempt, as it was when the attempt was claimed. */
export async function rowOf(deps: Dependencies, { batch, id }: AttemptRef, intent: Intent): Promise<Row> {
  const { generation, part, index, kind } = intent;
  return (await loadRow(deps, { batch, id, generation, part, index, kind: KINDS.indexOf(kind) })).row;
}

/** An attempt that has not ended may have been charged anything up to its expected price. */
async function openAttempt(deps: Dependencies, open: OpenAttempt, attempt: Attempt): Promise<NamedAttempt> {
  const { batch, id, n, kind, atMs } = open;
  const intent = intentOf(attempt);
  const row = intent && (await rowOf(deps, open, intent));
  const model = row && modelOf(row);
  const cost = row && (await costOf(deps, batch, row, intent));
  const known: KnownAttempt = {
    timing: await timingOf(deps, kind, model),
    claimedAtMs: intent?.atMs ?? atMs,
    createdAtMs: attempt.states.find(({ state }) => state === 'created')?.atMs,
    runningAtMs: lastRunning(deps, open),
    end: 'open',
    endedAtMs: null,
    ...((row && cost && withFollowUp(row, cost)) ?? { lo: 0, hi: null }),
    laterNano: row ? followUpNano(row, cost ?? null) : hasFollowUp(kind) ? null : 0,
  };
  return { batch, id, n, kind, model, name: nameOf(open), known };
}
