import { type BatchBooks, batchBooks, beginOf, readBooks } from '../home/learned.js';
import { attemptsSince } from './attempts.js';
import { movementsOf } from './check/evidence.js';
import { balanceBooks } from './check/residual.js';
import { readingsSince } from './evidence.js';
import { learnFromCharges } from './lessons.js';
import type { Books } from './open-books.js';
import { auditVerdicts } from './verdicts.js';

/** What readings of the balance are good for beside the cases that asked for them. */

/** A reading this long before a batch still shows what it started from, ms of the clock. */
const LOOK_BACK_MS = 600_000;

/** Learns in the background: a reading must not be asked for again because its use took long. */
export function noteReading(books: Books): void {
  void useReadings(books);
}

/** Learns from the readings up to now and compares verdicts with them; never fails. One at a time. */
export async function useReadings(books: Books): Promise<void> {
  books.using = books.using.then(() => learnAndAudit(books));
  await books.using;
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
  const { known, cases } = await attemptsSince(books, base.atMs - lambdaMs - rhoMs);
  const open = cases.map(({ claimedAtMs, price }) => {
    const hi = price?.hi ?? null;
    return { fromMs: claimedAtMs, toMs: null, afterMs: 0, lo: 0, hi, peak: hi };
  });
  const movements = [...known.flatMap((one) => movementsOf(one, rhoMs)), ...open];
  const nowMs = books.now();
  const roundingNano = await learned.roundingNano(readings.map(({ balanceNano }) => balanceNano));
  const { exclusive } = settings;
  const account = { nowMs, exclusive, lambdaMs, rhoMs, roundingNano, apartMs: 0, readings, movements };
  const { topUpNano, unattributed } = balanceBooks(account, base, at);
  if (unattributed && (unattributed.lo !== 0 || unattributed.hi !== 0) && exclusive) {
    books.log.warn({ batch, ...unattributed }, 'the balance moved by more than is known here');
  }
  const closed: BatchBooks = {
    schema: 1,
    fromMs: base.atMs,
    toMs: at.atMs,
    startNano: base.balanceNano,
    ...beginOf(await readBooks(home, batch), { fromMs: base.atMs, startNano: base.balanceNano }),
    endNano: at.balanceNano,
    topUpNano,
    unattributed,
  };
  await batchBooks.write(home, closed, batch);
}
