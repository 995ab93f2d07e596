import { BALANCE_TOLERANCE_NANO, type CreditsNano } from '../domain/money.js';
import { intentOf, isKnownUnbilled, standingOf } from '../domain/standing.js';
import { resultState } from '../home/attempts.js';
import { type BatchBooks, batchBooks, beginOf, readBooks } from '../home/learned.js';
import { adapterFor } from '../kinds/index.js';
import { legibleRow } from './attempt-price.js';
import { attemptsSince, eachAttemptSince, type NamedAttempt } from './attempts.js';
import { type Movement, movementsOf } from './check/evidence.js';
import { type Lessons, learn } from './check/learn.js';
import { balanceBooks, slackOf, unexplained } from './check/residual.js';
import { boundedMovement, NO_SHARES, shareOf, withShare } from './check/shares.js';
import { readingsSince } from './history.js';
import type { Books } from './open-books.js';
import { addMeasurement, cellsOf, hidesWhatBills } from './prices/measured-prices.js';
import { widest } from './prices/price-book.js';
import { reviseRow } from './revise.js';
import { tellOfOthers } from './strangers.js';
import { auditVerdicts } from './verdicts.js';

/** What readings of the balance are good for beside the cases that asked for them. */

/** A reading this long before a batch still shows what it started from, ms of the clock. */
const LOOK_BACK_MS = 600_000;

/** Learns in the background: a reading must not be asked for again because its use took long. */
export function noteReading(books: Books): void {
  void useReadings(books);
}

/**
 * Learns from the readings up to now and compares verdicts with them; never fails. One at a time: whoever asks while one
 * is under way waits for the next, however many ask, since it sees the readings of all of them.
 */
export function useReadings(books: Books): Promise<void> {
  books.nextUse ??= books.using.then(() => {
    delete books.nextUse;
    return learnAndAudit(books);
  });
  books.using = books.nextUse;
  return books.using;
}

async function learnAndAudit(books: Books): Promise<void> {
  try {
    await auditVerdicts(books);
    await learnFromCharges(books);
  } catch (error) {
    books.log.warn({ error: String(error) }, 'a reading of the balance could not be used');
  }
}

/** Uses the last reading of the balance, and writes what the account spent since a batch began. */
export async function closeBooks(books: Books, batch: string, sinceMs: number): Promise<void> {
  await useReadings(books);
  const { home, learned, settings } = books;
  const readings = await readingsSince(books, sinceMs - LOOK_BACK_MS);
  const base = readings.findLast(({ atMs }) => atMs <= sinceMs) ?? readings[0];
  const at = readings.at(-1);
  if (!base || !at || base === at) return;
  const [lambdaMs, rhoMs] = [await learned.lambdaMs(), await learned.rhoMs()];
  const roundingNano = await learned.roundingNano(readings.map(({ balanceNano }) => balanceNano));
  let shares = NO_SHARES;
  const explain = (movements: Movement[]): void => {
    for (const movement of movements)
      shares = withShare(shares, shareOf(boundedMovement(movement, lambdaMs), base, at, lambdaMs));
  };
  const surelyMs = await books.discounts.surelyKnownUntilMs();
  // Its discount may have been over by then, which nobody says: what it takes is no stranger's.
  const isUnsure = ({ endedAtMs }: NamedAttempt): boolean => (endedAtMs ?? Number.POSITIVE_INFINITY) > surelyMs;
  const known = (one: NamedAttempt): void => {
    const cost = one.list !== undefined && isUnsure(one) ? widest(one, one.list) : one;
    explain(movementsOf({ ...one, lo: cost.lo, hi: cost.hi }, rhoMs));
  };
  for (const { claimedAtMs, overMs, price } of await eachAttemptSince(books, base.atMs - lambdaMs - rhoMs, known)) {
    const hi = price?.hi ?? null;
    explain([{ fromMs: claimedAtMs, toMs: overMs, afterMs: 0, lo: 0, hi, peak: hi }]);
  }
  const { topUpNano, unattributed } = balanceBooks(
    unexplained(base, at, shares.explained),
    slackOf({ roundingNano }, shares.charges),
  );
  const earlier = await readBooks(home, batch);
  const closed: BatchBooks = {
    schema: 1,
    fromMs: base.atMs,
    toMs: at.atMs,
    startNano: base.balanceNano,
    ...beginOf(earlier, { fromMs: base.atMs, startNano: base.balanceNano }),
    endNano: at.balanceNano,
    topUpNano,
    unattributed,
  };
  if (settings.exclusive) await tellOfOthers(books, batch, closed, earlier);
  await batchBooks.write(home, closed, batch);
}

/** What single charges teach, at every new reading of the balance: how late it is, who charges when, what rows cost. */

/** How far back single charges are looked for, unscaled ms. */
const LEARN_FROM_MS = 1_800_000;
/** Among more attempts than this no charge stands alone. */
const ATTEMPTS_MAX = 300;
/** A balance of at least six decimals is exact within so many times the tolerance. */
const EXACT_WITHIN = 3;

export async function learnFromCharges(books: Books): Promise<void> {
  const { learned } = books;
  const sinceMs = books.now() - LEARN_FROM_MS / books.settings.timeScale;
  const [lambdaMs, rhoMs] = [await learned.lambdaMs(), await learned.rhoMs()];
  // What ended before can still be given back beside a charge that would else stand alone.
  const { known, cases } = await attemptsSince(books, sinceMs - lambdaMs - rhoMs);
  const recent = known.filter(({ endedAtMs }) => endedAtMs === null || endedAtMs >= sinceMs);
  if (recent.length === 0 || recent.length > ATTEMPTS_MAX) return;
  const readings = await readingsSince(books, sinceMs);
  // While an answer is lost, no charge is known to stand alone; what was over before the first reading moves none.
  const firstMs = readings[0]?.askedMs ?? sinceMs;
  if (cases.some(({ overMs }) => overMs + lambdaMs > firstMs)) return;
  const balances = readings.map(({ balanceNano }) => balanceNano);
  const roundingNano = await learned.roundingNano(balances);
  const lessons = learn({ lambdaMs, rhoMs, roundingNano, readings }, known);
  const byName = new Map(recent.filter(({ end }) => end !== 'follow_up').map((one) => [one.name, one]));
  const timings = lessons.timings.flatMap(({ name, timing }) => {
    const attempt = byName.get(name);
    return attempt?.model === undefined ? [] : [{ kind: attempt.kind, model: attempt.model, timing, name }];
  });
  await learned.keep({ ...lessons, balances, timings });
  for (const measured of lessons.measured) {
    const attempt = byName.get(measured.name);
    if (attempt) await keepMeasurement(books, attempt, measured, slackOf({ roundingNano }));
  }
  for (const { name, totalNano } of lessons.followedUp) {
    const attempt = byName.get(name);
    if (attempt) await keepFollowUp(books, attempt, totalNano);
  }
}

/** A charge after the end belongs to its row, as far as nobody else can have spent it. */
async function keepFollowUp(books: Books, { batch, id, n }: NamedAttempt, totalNano: CreditsNano): Promise<void> {
  const record = await books.records.readRecord(batch, id);
  if (record?.status !== 'done' || record.creditsNano === totalNano || !books.settings.exclusive) return;
  const attempts = await books.ledger.read(batch, id);
  if (!attempts.every((one) => one.n === n || isKnownUnbilled(standingOf(one)))) return;
  await reviseRow(books, { batch, id }, { revision: 'measured', creditsNano: totalNano });
}

/** A measured price is kept once per attempt: when its row has a record that does not say so yet. */
async function keepMeasurement(
  books: Books,
  named: NamedAttempt,
  { amountNano, atMs }: Lessons['measured'][number],
  slackNano: CreditsNano,
): Promise<void> {
  const { batch, id, n, lo, hi } = named;
  // What is read of a rounded balance says nothing about a price that is known to the digit.
  const isRough = slackNano > BALANCE_TOLERANCE_NANO * EXACT_WITHIN;
  if (isRough && lo === hi && Math.abs(lo - amountNano) <= slackNano) return;
  const record = await books.records.readRecord(batch, id);
  if (record?.status !== 'done' || record.creditsBasis === 'measured') return;
  const attempts = await books.ledger.read(batch, id);
  const attempt = attempts.find((one) => one.n === n);
  const isOnlyOne = attempts.every((one) => one === attempt || isKnownUnbilled(standingOf(one)));
  const intent = attempt && intentOf(attempt);
  const result = attempt && resultState(attempt);
  if (!intent || !result || intent.rowHash !== record.rowHash) return;
  const { exclusive } = books.settings;
  const { kind } = intent;
  const row = await legibleRow(books, named, intent);
  if (row === undefined) return;
  const endedAtMs = named.endedAtMs ?? atMs;
  const multipliers = await books.discounts.multipliers(adapterFor(kind), named.claimedAtMs, endedAtMs);
  const [multiplierPpb, ...others] = multipliers;
  // What hides would be taken for the price of rows that are alike but for it.
  if (multiplierPpb !== undefined && others.length === 0 && !hidesWhatBills(row, result.facts)) {
    const exactness = isRough ? { withinNano: slackNano } : {};
    const cells = cellsOf(row, result.facts);
    const seen = { kind, cells, paidNano: amountNano, ...exactness, multiplierPpb, exclusive, atMs };
    await books.learned.changePrices((prices) => addMeasurement(prices, seen));
  }
  // Another amount than a known price is not believed of the row: somebody else's charge may be in it.
  const isExpected = lo <= amountNano && (hi === null || amountNano <= hi);
  if (exclusive && isOnlyOne && isExpected)
    await reviseRow(books, { batch, id }, { revision: 'measured', creditsNano: amountNano });
}
