import { describe, expect, it } from 'vitest';
import { type AccountEvidence, type KnownAttempt, movementsOf, type Reading } from '../../src/books/check/evidence.js';
import { learn } from '../../src/books/check/learn.js';
import { indexMovements, residualBetween } from '../../src/books/check/movement-index.js';
import { balanceBooks, slackOf } from '../../src/books/check/residual.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';

const credits = (amount: number): number => Math.round(amount * NANO_PER_CREDIT);
const minute = 60_000;
const T0 = 1_000 * minute;
const ACCOUNT = { lambdaMs: 2 * minute, rhoMs: 30 * minute, roundingNano: 1_000 };
const UNKNOWN_PRICE = { lo: 0, hi: null };

/** A clip of 0.28 credits: claimed at T0, created 2 s later, seen running until 3 min, ended at 4 min. */
function clip(change: Partial<KnownAttempt> = {}): KnownAttempt {
  return {
    name: 'b/0/1',
    timing: 'unknown',
    claimedAtMs: T0,
    createdAtMs: T0 + 2_000,
    runningAtMs: T0 + 3 * minute,
    end: 'charged',
    endedAtMs: T0 + 4 * minute,
    lo: credits(0.28),
    hi: credits(0.28),
    ...change,
  };
}

/** `[minutes after T0, credits]`. */
function balances(...pairs: [number, number][]): Reading[] {
  return pairs.map(([minutes, balance]) => {
    const atMs = T0 + minutes * minute;
    return { askedMs: atMs, atMs, balanceNano: credits(balance) };
  });
}

const lessons = (readings: Reading[], ...attempts: KnownAttempt[]) =>
  learn(
    { ...ACCOUNT, readings },
    attempts.map((known, i) => ({ ...known, name: `b/${i}/1` })),
  );

describe('learn', () => {
  it('measures the price of a charge that stands alone', () => {
    const seen = lessons(balances([-1, 20], [5, 19.72]), clip(UNKNOWN_PRICE));
    expect(seen.measured).toEqual([{ name: 'b/0/1', amountNano: credits(0.28), atMs: T0 + 5 * minute }]);
  });

  it('measures nothing while two charges could have made the fall', () => {
    expect(lessons(balances([-1, 20], [5, 19.44]), clip(UNKNOWN_PRICE), clip(UNKNOWN_PRICE)).measured).toEqual([]);
  });

  it('measures another amount than the expected one, too: a wrong price must correct itself', () => {
    expect(lessons(balances([-1, 20], [5, 19.44]), clip()).measured).toMatchObject([{ amountNano: credits(0.56) }]);
  });

  it('measures nothing where another attempt could have moved the balance in that time, however exact its price', () => {
    const other = clip({ claimedAtMs: T0 + 5 * minute, createdAtMs: T0 + 5 * minute, endedAtMs: T0 + 6 * minute });
    expect(lessons(balances([-1, 20], [4.5, 19.72], [9, 19.44]), clip(), other).measured).toEqual([]);
  });

  it('learns whether a charge showed before completion, or was missing long after the submit', () => {
    const early = lessons(balances([-1, 20], [1, 19.72], [5, 19.72]), clip());
    expect(early.timings).toEqual([{ name: 'b/0/1', timing: 'at-submit' }]);
    const late = lessons(balances([-1, 20], [2.5, 20], [5, 19.72]), clip());
    expect(late.timings).toEqual([{ name: 'b/0/1', timing: 'at-completion' }]);
    expect(lessons(balances([-1, 20], [1, 20], [5, 19.72]), clip()).timings, 'the balance may be late').toEqual([]);
  });

  it('learns that a refund takes longer than was assumed', () => {
    const failed = clip({ end: 'unbilled' });
    expect(lessons(balances([-1, 20], [5, 19.72], [40, 19.72], [50, 20]), failed).refundMs).toBe(36 * minute);
  });

  it('tells what was charged after the end, once nothing else can explain it (F34)', () => {
    const followUp = { end: 'follow_up', claimedAtMs: T0 + 4 * minute, endedAtMs: T0 + 64 * minute, lo: 0 } as const;
    const known = [clip({ timing: 'at-completion' }), clip({ timing: 'at-completion', ...followUp, hi: credits(0.8) })];
    const seen = (...pairs: [number, number][]) =>
      learn({ ...ACCOUNT, readings: balances(...pairs) }, known).followedUp;
    expect(seen([-1, 20], [8, 19.47])).toEqual([{ name: 'b/0/1', totalNano: credits(0.53) }]);
    expect(seen([-1, 20], [5, 19.47]), 'the charge itself may still be on its way').toEqual([]);
    expect(seen([-1, 20], [8, 19.72]), 'nothing followed').toEqual([]);
    expect(seen([-1, 20], [8, 18.5]), 'more than the clip can cost').toEqual([]);
    known.push(clip({ name: 'b/1/1', timing: 'at-completion' }));
    expect(seen([-1, 20], [8, 19.19]), 'another clip was charged as well').toEqual([]);
  });

  it('learns how late the balance was, and only from a reading that was late for sure (F27)', () => {
    expect(lessons(balances([-1, 20], [7, 20], [9, 19.72]), clip()).latenessMs).toBe(5 * minute);
    // A reading that shows it long afterwards proves nothing: there was none before.
    expect(lessons(balances([-1, 20], [9, 19.72]), clip()).latenessMs).toBe(0);
  });

  it('learns no more than was proven where nobody looked for long: the next batch may come an hour later (F27)', () => {
    expect(lessons(balances([-1, 20], [4.1, 20], [25, 19.72]), clip()).latenessMs).toBeCloseTo(0.1 * minute, 0);
    expect(lessons(balances([-1, 20], [8, 20], [25, 19.72]), clip()).latenessMs).toBe(4 * minute);
  });

  it('takes a purchase for no sign that a charge is late (F29)', () => {
    expect(lessons(balances([-1, 20], [5, 19.72], [9, 119.72]), clip()).latenessMs).toBe(0);
  });

  it('learns from a reading that went back, too', () => {
    const back = balances([-1, 20], [5, 20], [5.5, 19.72], [8, 20], [9, 19.72]);
    expect(lessons(back, clip()).latenessMs).toBe(4 * minute);
  });
});

describe('movementsOf', () => {
  it('charges at completion only after the job was last seen running', () => {
    expect(movementsOf(clip({ timing: 'at-completion' }), 30 * minute)).toMatchObject([
      { fromMs: T0 + 3 * minute, toMs: T0 + 4 * minute },
    ]);
  });

  it('lets the charge of a failed render come back for as long as refunds can be late, but where none was made', () => {
    const failed = { end: 'unbilled' } as const;
    expect(movementsOf(clip({ ...failed, timing: 'at-submit' }), 30 * minute)).toMatchObject([
      { fromMs: T0, toMs: T0 + 4 * minute, afterMs: 30 * minute, lo: 0, hi: 0, peak: credits(0.28) },
    ]);
    expect(movementsOf(clip({ ...failed, timing: 'at-completion' }), 30 * minute)).toMatchObject([{ afterMs: 0 }]);
  });

  it('keeps a bill refundable as long as the job may run, where the family may have reserved it', () => {
    const billed = { end: 'billed', seenAtMs: T0 + minute, endedAtMs: T0 + 60 * minute } as const;
    expect(movementsOf(clip(billed), 30 * minute)).toHaveLength(2);
    expect(movementsOf(clip({ ...billed, timing: 'at-completion' }), 30 * minute)).toHaveLength(1);
    // A failure after deduction is refunded (service document 1, Errors).
    expect(movementsOf(clip({ ...billed, timing: 'at-success' }), 30 * minute)).toHaveLength(2);
  });
});

describe('balanceBooks (I11)', () => {
  const account = (readings: Reading[], attempts: KnownAttempt[] = [clip()]): AccountEvidence => ({
    nowMs: T0,
    exclusive: true,
    ...ACCOUNT,
    apartMs: 0,
    readings,
    movements: attempts.flatMap((known) => movementsOf(known, 30 * minute)),
  });
  const books = (readings: Reading[], attempts?: KnownAttempt[]) => {
    const [base, at] = [readings[0], readings.at(-1)];
    if (!base || !at) throw new Error('two readings are needed');
    const evidence = account(readings, attempts);
    return balanceBooks(residualBetween(indexMovements(evidence), base, at), slackOf(evidence));
  };

  it('balances to the digit', () => {
    expect(books(balances([-1, 20], [7, 19.72]))).toEqual({ topUpNano: 0, unattributed: { lo: 0, hi: 0 } });
  });

  it('shows what nobody here spent (F19, F30)', () => {
    const { unattributed } = books(balances([-1, 20], [7, 19.44]));
    expect(unattributed).toEqual({ lo: credits(0.28), hi: credits(0.28) });
  });

  it('recognises a purchase (F29)', () => {
    expect(books(balances([-1, 20], [7, 39.72]))).toEqual({ topUpNano: credits(20), unattributed: { lo: 0, hi: 0 } });
  });

  it('says nothing where a price is not known', () => {
    expect(books(balances([-1, 20], [7, 19.44]), [clip(UNKNOWN_PRICE)]).unattributed).toBeNull();
  });
});
