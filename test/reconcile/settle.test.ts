import { describe, expect, it } from 'vitest';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { CaseFacts, SettleEvidence } from '../../src/reconcile/evidence.js';
import { settle } from '../../src/reconcile/settle.js';

const credits = (amount: number): number => Math.round(amount * NANO_PER_CREDIT);
const minute = 60_000;
const T0 = 1_000 * minute;

/** An async attempt of 0.28 credits claimed at T0, charged at submit. */
function lost(change: Partial<CaseFacts> = {}): CaseFacts {
  return {
    name: 'films/a/1',
    claimedAtMs: T0,
    gaveUpAtMs: T0,
    flow: 'async',
    charge: 'at-submit',
    expected: { lo: credits(0.28), hi: credits(0.28) },
    renderMaxMs: 30 * minute,
    syncMaxMs: 2 * minute,
    ...change,
  };
}

type Change = Partial<Omit<SettleEvidence, 'subject'>> & Partial<CaseFacts>;

/** That attempt on an exclusive account on which nothing else happens. */
function evidence(change: Change = {}): SettleEvidence {
  const { nowMs, exclusive, thetaMs, lambdaMs, checkpoints, charges, rivals, ...subject } = change;
  return {
    nowMs: nowMs ?? T0 + 10 * minute,
    exclusive: exclusive ?? true,
    thetaMs: thetaMs ?? 3 * minute,
    lambdaMs: lambdaMs ?? 2 * minute,
    checkpoints: checkpoints ?? balances([-1, 20], [6, 20], [6.5, 20], [7, 20]),
    charges: charges ?? [],
    rivals: rivals ?? [],
    subject: lost(subject),
  };
}

/** `[minutes after T0, credits]`. */
function balances(...pairs: [number, number][]): SettleEvidence['checkpoints'] {
  return pairs.map(([minutes, balance]) => ({ atMs: T0 + minutes * minute, balanceNano: credits(balance) }));
}

const verdictOf = (change: Change): string => {
  const settled = settle(evidence(change));
  return settled.outcome === 'verdict' ? settled.verdict : 'wait';
};

describe('settle', () => {
  it('is not billed when nothing is missing in two equal reads after the quiet', () => {
    expect(verdictOf({})).toBe('not_billed');
  });

  it('needs two reads after the quiet, and equal ones (F27: reads go backwards)', () => {
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 20]) })).toBe('wait');
    expect(verdictOf({ checkpoints: balances([-1, 20], [4, 20], [4.5, 20]) })).toBe('wait');
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 20.0001], [7, 20]) })).not.toBe('not_billed');
    // Each alone says that only the other case was billed, or none: together they do not agree.
    const rivals = [lost({ name: 'films/b/1', expected: { lo: credits(0.5), hi: credits(0.5) } })];
    expect(verdictOf({ rivals, checkpoints: balances([-1, 20], [6, 20], [7, 19.5]) })).toBe('wait');
    expect(verdictOf({ rivals, checkpoints: balances([-1, 20], [6, 19.5], [7, 20]) })).toBe('wait');
  });

  it('takes a reading for no newer than its request, however late its answer comes', () => {
    const slow = (minutes: number, balance: number) =>
      balances([minutes, balance]).map((one) => ({ ...one, askedMs: T0 + 4 * minute }));
    const [before, quiet] = [balances([-1, 20]), balances([6, 20])];
    expect(verdictOf({ checkpoints: [...before, ...slow(5.5, 20), ...quiet] })).toBe('wait');
    expect(verdictOf({ checkpoints: [...before, ...slow(5.5, 20), ...quiet, ...balances([7, 20])] })).toBe(
      'not_billed',
    );
    // The charge of another job may or may not be in it: only a reading that was asked for later tells.
    const other = { fromMs: T0, toMs: T0 + 3 * minute, lo: credits(0.28), hi: credits(0.28), peak: credits(0.28) };
    const missing = { charges: [other], expected: { lo: credits(0.28), hi: credits(0.28) } };
    expect(verdictOf({ ...missing, checkpoints: [...before, ...slow(5.5, 19.44)] })).toBe('billed');
    expect(verdictOf({ ...missing, checkpoints: [...before, ...slow(5.5, 19.72)] })).toBe('wait');
  });

  it('waits for the longest render where the family may charge at the end', () => {
    expect(verdictOf({ charge: 'unknown' })).toBe('wait');
    expect(verdictOf({ charge: 'unknown', checkpoints: balances([-1, 20], [36, 20], [37, 20]) })).toBe('not_billed');
  });

  it('is billed as soon as the missing amount meets the price', () => {
    expect(verdictOf({ checkpoints: balances([-1, 20], [1, 19.72]) })).toBe('billed');
  });

  it('is given up only after three readings of the quiet, however late they come', () => {
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 19.5], [20, 19.5]) })).toBe('wait');
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 19.5], [20, 19.5], [21, 19.5]) })).toBe('undecided');
  });

  it('tells the story that a person reads', () => {
    const settled = settle(evidence({ checkpoints: balances([-1, 20], [1, 19.72]) }));
    expect(settled.sentence).toContain('balance fell by 0.28');
    expect(settled.sentence).toContain('this attempt would cost 0.2800: billed');
  });

  it('does not take the charge of another job for this one', () => {
    const charges = [{ fromMs: T0, toMs: T0 + minute, lo: credits(0.12), hi: credits(0.12), peak: credits(0.12) }];
    expect(verdictOf({ charges, checkpoints: balances([-1, 20], [6, 19.88], [6.5, 19.88], [7, 19.88]) })).toBe(
      'not_billed',
    );
    expect(verdictOf({ charges, checkpoints: balances([-1, 20], [6, 19.6], [6.5, 19.6], [7, 19.6]) })).toBe('billed');
  });

  it('cannot tell while another open job could explain the fall', () => {
    const charges = [{ fromMs: T0, toMs: null, lo: 0, hi: credits(0.5), peak: credits(0.5) }];
    expect(verdictOf({ charges, checkpoints: balances([-1, 20], [2, 19.72]) })).toBe('wait');
    expect(verdictOf({ charges, checkpoints: balances([-1, 20], [6, 19.72], [6.5, 19.72], [7, 19.72]) })).toBe(
      'undecided',
    );
  });

  it('takes a reservation that came back for what it is (F33)', () => {
    const charges = [{ fromMs: T0, toMs: T0 + minute, lo: 0, hi: 0, peak: credits(0.5) }];
    expect(verdictOf({ charges, checkpoints: balances([-1, 20], [6, 20], [6.5, 20], [7, 20]) })).toBe('not_billed');
  });

  it('takes an open job for charged in any part, so that a bill which a discount made smaller is not missed', () => {
    const open = { fromMs: T0, toMs: null, lo: 0, hi: credits(0.4), peak: credits(0.4) };
    const checkpoints = balances([-1, 20], [6, 19.6], [6.5, 19.6], [7, 19.6]);
    expect(verdictOf({ checkpoints, charges: [open] })).toBe('undecided');
  });

  it('is not billed when two reads of the quiet showed it, whatever other jobs are charged after them', () => {
    const later = { fromMs: T0 + 7.5 * minute, toMs: null, lo: 0, hi: credits(0.6), peak: credits(0.6) };
    const checkpoints = balances([-1, 20], [6, 20], [7, 20], [8, 19.5]);
    expect(verdictOf({ checkpoints, charges: [later] })).toBe('not_billed');
    expect(
      verdictOf({ checkpoints: balances([-1, 20], [4, 20], [6, 20], [8, 19.5], [8.5, 19.5]), charges: [later] }),
    ).toBe('undecided');
  });

  it('recognises a purchase of whole credits (F29)', () => {
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 40], [6.5, 40], [7, 40]) })).toBe('not_billed');
    expect(verdictOf({ checkpoints: balances([-1, 20], [6, 39.72], [6.5, 39.72], [7, 39.72]) })).toBe('billed');
  });

  it('gives no verdict when someone else spends (F30)', () => {
    const settled = settle(evidence({ checkpoints: balances([-1, 20], [6, 19.5], [6.5, 19.5], [7, 19.5]) }));
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
    expect(settled.sentence).toContain('someone else');
  });

  it('decides nothing on an account that charges may use, after one read', () => {
    expect(verdictOf({ exclusive: false, checkpoints: balances([-1, 20], [1, 20]) })).toBe('undecided');
    expect(verdictOf({ exclusive: false, checkpoints: balances([-1, 20]), nowMs: T0 })).toBe('wait');
  });

  it('proves with an unknown price only that nothing at all is missing', () => {
    expect(verdictOf({ expected: null })).toBe('not_billed');
    expect(verdictOf({ expected: null, checkpoints: balances([-1, 20], [1, 19.9]) })).toBe('billed');
  });

  it('is undecided without a balance from before the submit', () => {
    expect(verdictOf({ checkpoints: balances([6, 20], [6.5, 20], [7, 20]) })).toBe('undecided');
  });

  it('settles a synchronous call once it cannot run any more (S2)', () => {
    const sync = { flow: 'sync', charge: 'at-success' } as const;
    expect(verdictOf({ ...sync, checkpoints: balances([-1, 20], [3.5, 20], [3.9, 20]) })).toBe('wait');
    expect(verdictOf({ ...sync, checkpoints: balances([-1, 20], [4, 20], [4.5, 20]) })).toBe('not_billed');
  });

  it('starts from an older reading where the newest lies in the middle of another charge', () => {
    const charges = [
      { fromMs: T0 - 8 * minute, toMs: T0 - 4 * minute, lo: credits(0.4), hi: credits(0.4), peak: credits(0.4) },
    ];
    const middle = { charges, checkpoints: balances([-9, 20], [-5, 19.6], [1, 19.32]) };
    expect(verdictOf(middle)).toBe('billed');
    expect(verdictOf({ ...middle, checkpoints: balances([-5, 19.6], [1, 19.32]) })).toBe('wait');
  });

  it('does not start from before something that nobody explains', () => {
    expect(verdictOf({ checkpoints: balances([-9, 25], [-5, 20], [6, 20], [6.5, 20], [7, 20]) })).toBe('not_billed');
    expect(verdictOf({ checkpoints: balances([-9, 5], [-5, 20], [1, 19.72]) })).toBe('billed');
  });

  it('looks less and less often, so that a long case stays a short history (I17)', () => {
    let looks = 0;
    for (let nowMs = T0; ; looks += 1) {
      const checkpoints = [...balances([-1, 20]), { atMs: nowMs, balanceNano: credits(20) }];
      const settled = settle(evidence({ nowMs, charge: 'unknown', renderMaxMs: 60 * minute, checkpoints }));
      if (settled.outcome === 'verdict' || nowMs >= T0 + 65 * minute) break;
      expect(settled.untilMs).toBeGreaterThan(nowMs);
      nowMs = settled.untilMs;
    }
    expect(looks).toBeLessThan(25);
  });

  it('does not mistake float noise for money (F28)', () => {
    const noisy = balances([-1, 20], [6, 20], [6.5, 20], [7, 20]);
    for (const checkpoint of noisy.slice(1)) checkpoint.balanceNano += 300;
    expect(verdictOf({ checkpoints: noisy })).toBe('not_billed');
  });

  it('gives exactly the sentence that a person reads', () => {
    const charges = [{ fromMs: T0, toMs: T0 + minute, lo: credits(0.12), hi: credits(0.12), peak: credits(0.12) }];
    expect(settle(evidence({ charges, checkpoints: balances([-1, 20], [6, 19.6]) })).sentence).toBe(
      'balance fell by 0.4000 between 16:39:00 and 16:46:00; other jobs explain 0.1200; this attempt would cost 0.2800: billed',
    );
  });

  it('takes two cases of different prices apart by their sum', () => {
    const rivals = [lost({ name: 'films/b/1', expected: { lo: credits(0.5), hi: credits(0.5) } })];
    const both = { rivals, checkpoints: balances([-1, 20], [6, 19.22], [6.5, 19.22], [7, 19.22]) };
    expect(verdictOf(both)).toBe('billed');
    expect(verdictOf({ ...both, checkpoints: balances([-1, 20], [6, 19.5], [6.5, 19.5], [7, 19.5]) })).toBe(
      'not_billed',
    );
    expect(verdictOf({ ...both, checkpoints: balances([-1, 20], [6, 19.72], [6.5, 19.72], [7, 19.72]) })).toBe(
      'billed',
    );
    expect(verdictOf({ ...both, checkpoints: balances([-1, 20], [6, 20], [6.5, 20], [7, 20]) })).toBe('not_billed');
  });

  it('gives no verdict on one of two equal cases when one of them was billed', () => {
    const rivals = [lost({ name: 'films/b/1' })];
    expect(verdictOf({ rivals, checkpoints: balances([-1, 20], [6, 19.72], [6.5, 19.72], [7, 19.72]) })).toBe(
      'undecided',
    );
    expect(verdictOf({ rivals, checkpoints: balances([-1, 20], [6, 19.44], [6.5, 19.44], [7, 19.44]) })).toBe('billed');
    expect(verdictOf({ rivals })).toBe('not_billed');
  });

  it('knows that a charge seen before another case began is not that case', () => {
    const later = lost({ name: 'films/b/1', claimedAtMs: T0 + 2 * minute, gaveUpAtMs: T0 + 2 * minute });
    const readings = balances([-1, 20], [1, 19.72], [7, 19.72], [9, 19.72], [10, 19.72]);
    expect(verdictOf({ rivals: [later], checkpoints: readings })).toBe('billed');
    // The later one stays open: the earlier bill may have come back while this one was charged.
    const subject = { ...later, nowMs: T0 + 12 * minute, rivals: [lost()] };
    expect(verdictOf({ ...subject, checkpoints: readings })).toBe('undecided');
  });

  it('takes what an earlier reading told only once nothing can come back (F33)', () => {
    const rivals = [lost({ name: 'films/b/1', claimedAtMs: T0 + 2 * minute, gaveUpAtMs: T0 + 2 * minute })];
    const early = { rivals, nowMs: T0 + 4 * minute, checkpoints: balances([-1, 20], [1, 19.72], [4, 19.72]) };
    expect(verdictOf(early)).toBe('wait');
    expect(verdictOf({ ...early, charge: 'at-completion' })).toBe('billed');
  });

  it('does not take the refund of another case for a charge that never was', () => {
    const earlier = lost({ name: 'films/b/1', claimedAtMs: T0 - 5 * minute, gaveUpAtMs: T0 - 5 * minute });
    // 0.28 of the earlier case stood at the start; it came back while the subject was billed.
    expect(
      verdictOf({ rivals: [earlier], checkpoints: balances([-1, 19.72], [6, 19.72], [6.5, 19.72], [7, 19.72]) }),
    ).not.toBe('not_billed');
  });

  it('says that someone else spends when no subset explains the balance (F30)', () => {
    const rivals = [lost({ name: 'films/b/1', expected: { lo: credits(0.5), hi: credits(0.5) } })];
    const settled = settle(evidence({ rivals, checkpoints: balances([-1, 20], [6, 19.6], [6.5, 19.6], [7, 19.6]) }));
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
    expect(settled.sentence).toContain('1 other answer is lost as well: someone else seems to spend');
  });

  it('does not tell more than twelve lost answers apart', () => {
    const rivals = Array.from({ length: 12 }, (_, i) => lost({ name: `films/r${i}/1` }));
    const settled = settle(evidence({ rivals }));
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
    expect(settled.sentence).toContain('13 lost answers at once are too many to tell apart');
  });

  it('never sets a purchase off against a charge (F29)', () => {
    // A case of exactly 20 credits: a rise of 20 is a purchase, and then this was not billed.
    const dear = { expected: { lo: credits(20), hi: credits(20) } };
    expect(verdictOf({ ...dear, checkpoints: balances([-1, 20], [6, 40], [6.5, 40], [7, 40]) })).not.toBe('billed');
    // Without a visible rise there was no purchase.
    expect(verdictOf({ ...dear, checkpoints: balances([-1, 20], [6, 20], [6.5, 20], [7, 20]) })).toBe('not_billed');
    // Bought and spent between two readings, with a rise in between: both are seen.
    expect(verdictOf({ ...dear, checkpoints: balances([-1, 20], [2, 40], [6, 20], [6.5, 20], [7, 20]) })).not.toBe(
      'not_billed',
    );
  });

  it('reads a discount that changed meanwhile as a wider price (F31)', () => {
    const wider = { expected: { lo: credits(0.224), hi: credits(0.28) } };
    expect(verdictOf({ ...wider, checkpoints: balances([-1, 20], [6, 19.776]) })).toBe('billed');
    expect(verdictOf({ ...wider, checkpoints: balances([-1, 20], [6, 19.72]) })).toBe('billed');
    expect(verdictOf(wider)).toBe('not_billed');
  });

  it('sees twice the price as somebody else (F19)', () => {
    const settled = settle(evidence({ checkpoints: balances([-1, 20], [6, 19.44], [6.5, 19.44], [7, 19.44]) }));
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
  });
});
