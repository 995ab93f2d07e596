import { describe, expect, it } from 'vitest';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { balanceBooks } from '../../src/reconcile/books.js';
import type { AccountEvidence, Checkpoint } from '../../src/reconcile/evidence.js';
import { chargesOf, type KnownAttempt } from '../../src/reconcile/known-attempt.js';
import { learn } from '../../src/reconcile/learn.js';

const credits = (amount: number): number => Math.round(amount * NANO_PER_CREDIT);
const minute = 60_000;
const T0 = 1_000 * minute;
const UNKNOWN_PRICE = { lo: 0, hi: null };

/** A clip of 0.28 credits: claimed at T0, created 2 s later, seen running until 3 min, ended at 4 min. */
function clip(change: Partial<KnownAttempt> = {}): KnownAttempt {
  return {
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
function balances(...pairs: [number, number][]): Checkpoint[] {
  return pairs.map(([minutes, balance]) => ({ atMs: T0 + minutes * minute, balanceNano: credits(balance) }));
}

const lessons = (checkpoints: Checkpoint[], ...attempts: KnownAttempt[]) =>
  learn(
    { lambdaMs: 2 * minute, checkpoints },
    attempts.map((known, i) => ({ name: `b/${i}/1`, known })),
  );

describe('learn', () => {
  it('measures the price of a charge that stands alone', () => {
    const seen = lessons(balances([-1, 20], [5, 19.72]), clip(UNKNOWN_PRICE));
    expect(seen.measured).toEqual([{ name: 'b/0/1', amountNano: credits(0.28), atMs: T0 + 5 * minute }]);
  });

  it('measures nothing while two charges could have made the fall', () => {
    expect(lessons(balances([-1, 20], [5, 19.44]), clip(UNKNOWN_PRICE), clip(UNKNOWN_PRICE)).measured).toEqual([]);
  });

  it('does not call another amount than the configured one a price (F19)', () => {
    expect(lessons(balances([-1, 20], [5, 19.44]), clip()).measured).toEqual([]);
  });

  it('learns that a charge showed before completion', () => {
    const early = lessons(balances([-1, 20], [1, 19.72], [5, 19.72]), clip());
    expect(early.chargedAtSubmit).toEqual(['b/0/1']);
    const late = lessons(balances([-1, 20], [1, 20], [5, 19.72]), clip());
    expect(late.chargedAtSubmit).toEqual([]);
  });

  it('tells what was charged after the end, once nothing else can explain it (F34)', () => {
    const followUp = { end: 'follow_up', claimedAtMs: T0 + 4 * minute, endedAtMs: T0 + 64 * minute, lo: 0 } as const;
    const known = [
      { name: 'b/0/1', known: clip({ timing: 'at-completion' }) },
      { name: 'b/0/1', known: clip({ timing: 'at-completion', ...followUp, hi: credits(0.8) }) },
    ];
    const seen = (...pairs: [number, number][]) =>
      learn({ lambdaMs: 2 * minute, checkpoints: balances(...pairs) }, known).followedUp;
    expect(seen([-1, 20], [8, 19.47])).toEqual([{ name: 'b/0/1', totalNano: credits(0.53) }]);
    expect(seen([-1, 20], [5, 19.47]), 'the charge itself may still be on its way').toEqual([]);
    expect(seen([-1, 20], [8, 19.72]), 'nothing followed').toEqual([]);
    expect(seen([-1, 20], [8, 18.5]), 'more than the clip can cost').toEqual([]);
    known.push({ name: 'b/1/1', known: clip({ timing: 'at-completion' }) });
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

describe('chargesOf', () => {
  it('charges at completion only after the job was last seen running', () => {
    expect(chargesOf(clip({ timing: 'at-completion' }))).toMatchObject([
      { fromMs: T0 + 3 * minute, toMs: T0 + 4 * minute },
    ]);
  });

  it('splits a reservation from its refund', () => {
    const failed = chargesOf(clip({ timing: 'at-submit', end: 'unbilled' }));
    expect(failed).toMatchObject([
      { fromMs: T0, toMs: T0 + 2_000, lo: credits(0.28) },
      { fromMs: T0 + 3 * minute, toMs: T0 + 4 * minute, lo: -credits(0.28), hi: -credits(0.28) },
    ]);
  });

  it('keeps a bill refundable as long as the job may run, where the family may have reserved it', () => {
    const billed = { end: 'billed', seenAtMs: T0 + minute, endedAtMs: T0 + 60 * minute } as const;
    expect(chargesOf(clip(billed))).toHaveLength(2);
    expect(chargesOf(clip({ ...billed, timing: 'at-completion' }))).toHaveLength(1);
    // A failure after deduction is refunded (service document 1, Errors).
    expect(chargesOf(clip({ ...billed, timing: 'at-success' }))).toHaveLength(2);
  });
});

describe('balanceBooks (I11)', () => {
  const account = (checkpoints: Checkpoint[], attempts: KnownAttempt[] = [clip()]): AccountEvidence => ({
    nowMs: T0,
    exclusive: true,
    thetaMs: 0,
    lambdaMs: 2 * minute,
    checkpoints,
    charges: attempts.flatMap(chargesOf),
  });
  const books = (checkpoints: Checkpoint[], attempts?: KnownAttempt[]) => {
    const [base, at] = [checkpoints[0], checkpoints.at(-1)];
    if (!base || !at) throw new Error('two readings are needed');
    return balanceBooks(account(checkpoints, attempts), base, at);
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
