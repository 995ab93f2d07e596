import { describe, expect, it } from 'vitest';
import type { Case, Evidence, Movement, Reading } from '../../src/books/check/evidence.js';
import { settle } from '../../src/books/check/settle.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';

const credits = (amount: number): number => Math.round(amount * NANO_PER_CREDIT);
const minute = 60_000;
const T0 = 1_000 * minute;

/** An attempt of 0.28 credits claimed at T0, given up at once, of a family that charges at submit: due after Θ. */
function lost(change: Partial<Case> = {}): Case {
  return {
    name: 'films/a/1',
    claimedAtMs: T0,
    t0Ms: change.claimedAtMs ?? T0,
    dueAfterMs: 3 * minute,
    backAfterMs: 63 * minute,
    price: { lo: credits(0.28), hi: credits(0.28) },
    ...change,
  };
}

const at = (amount: number): Pick<Case, 'price'> => ({ price: { lo: credits(amount), hi: credits(amount) } });
/** Charged at completion or anywhere before it: due after Θ and the longest render. */
const unknownTiming = { dueAfterMs: 33 * minute };

type Change = Partial<Omit<Evidence, 'subject'>> & Partial<Case>;

/** That attempt on an exclusive account on which nothing else happens. */
function evidence(change: Change = {}): Evidence {
  const { nowMs, exclusive, roundingNano, readings, movements, rivals, equals, judged, ...subject } = change;
  return {
    nowMs: nowMs ?? T0 + 10 * minute,
    exclusive: exclusive ?? true,
    lambdaMs: 2 * minute,
    rhoMs: 30 * minute,
    roundingNano: roundingNano ?? 1_000,
    apartMs: 10_000,
    patienceMs: 10 * minute,
    giveUpAfterMs: 100 * minute,
    readings: readings ?? balances([-1, 20], [6, 20], [6.5, 20], [7, 20]),
    movements: movements ?? [],
    rivals: rivals ?? [],
    equals: equals ?? [],
    ...(judged === undefined ? {} : { judged }),
    subject: lost(subject),
  };
}

/** `[minutes after T0, credits]`. */
function balances(...pairs: [number, number][]): Reading[] {
  return pairs.map(([minutes, balance]) => {
    const atMs = T0 + minutes * minute;
    return { askedMs: atMs, atMs, balanceNano: credits(balance) };
  });
}

const taken = ({ fromMs = T0, toMs = T0 + minute, lo = 0, hi = 0, ...rest }: Partial<Movement>): Movement => ({
  ...{ fromMs, toMs, afterMs: 0, lo, hi, peak: hi },
  ...rest,
});

const verdictOf = (change: Change): string => {
  const settled = settle(evidence(change));
  return settled.outcome === 'verdict' ? settled.verdict : settled.outcome;
};

const flat = (amount: number) => balances([-1, 20], [6, amount], [6.5, amount], [7, amount]);
const flatFor = (amount: number, ...minutes: number[]) =>
  balances([-1, 20], ...minutes.map((one): [number, number] => [one, amount]));

describe('one lost answer', () => {
  it('is not billed when nothing is missing in two reads past its time that are ten seconds apart (F27)', () => {
    expect(verdictOf({})).toBe('not_billed');
    expect(verdictOf({ readings: balances([-1, 20], [6, 20]) })).toBe('wait');
    expect(verdictOf({ readings: balances([-1, 20], [6, 20], [6.1, 20]) })).toBe('wait');
    expect(verdictOf({ readings: balances([-1, 20], [4, 20], [4.5, 20]) })).toBe('wait');
    expect(verdictOf({ ...unknownTiming })).toBe('wait');
    expect(verdictOf({ ...unknownTiming, readings: balances([-1, 20], [36, 20], [37, 20]) })).toBe('not_billed');
  });

  it('takes a reading for no newer than its request, however late its answer comes', () => {
    const slow = { askedMs: T0 + 4 * minute, atMs: T0 + 5.5 * minute, balanceNano: credits(20) };
    expect(verdictOf({ readings: [...balances([-1, 20]), slow, ...balances([6, 20])] })).toBe('wait');
    expect(verdictOf({ readings: [...balances([-1, 20]), slow, ...balances([6, 20], [7, 20])] })).toBe('not_billed');
  });

  it('is not billed by what was read while the call was still open, where it may have come back since', () => {
    const whileOpen = balances([-1, 20], [3, 19.72]);
    const open = { t0Ms: T0 + 15 * minute };
    expect(verdictOf({ ...open, readings: whileOpen })).toBe('wait');
    expect(verdictOf({ ...open, readings: [...whileOpen, ...balances([16, 20])] })).toBe('wait');
    expect(verdictOf({ ...open, readings: [...whileOpen, ...balances([16, 19.72])] })).toBe('billed');
    expect(verdictOf({ ...open, backAfterMs: null, readings: whileOpen }), 'nothing gives it back').toBe('billed');
  });

  it('is billed as soon as what is missing excludes nothing and meets the price', () => {
    expect(verdictOf({ readings: balances([-1, 20], [1, 19.72]) })).toBe('billed');
    expect(verdictOf({ price: null, readings: balances([-1, 20], [1, 19.9]) })).toBe('billed');
    expect(verdictOf({ price: null }), 'an unknown price is never excluded').toBe('wait');
  });

  it('turns from billed only by the full test of not billed (F33: a reservation came back)', () => {
    const back: [number, number][] = [
      [-1, 20],
      [1, 19.72],
      [4, 20],
    ];
    expect(verdictOf({ readings: balances(...back) }), 'what the newest reading excludes is not said').toBe('wait');
    expect(verdictOf({ readings: balances(...back, [4.5, 19.72]) }), 'it was an older copy').toBe('billed');
    expect(verdictOf({ readings: balances([-1, 20], [1, 19.72], [6, 20], [7, 20]) })).toBe('not_billed');
    expect(verdictOf({ readings: balances([-1, 20], [8, 19.72]) }), 'however late it comes').toBe('billed');
  });

  it('has no verdict once the balance rose by what nothing explains: it may hide the bill (design 3, top-up)', () => {
    const risen = balances([-1, 20], [1, 20.28], [3.5, 20.28], [6, 20], [6.5, 20], [7, 20]);
    expect(settle(evidence({ readings: risen }))).toMatchObject({
      outcome: 'wait',
      rise: { balanceNano: credits(20.28) },
      sentence: expect.stringMatching(/: the balance rose by what no refund and no purchase explains$/),
    });
    const later: [number, number][] = [
      [15, 20],
      [15.5, 20],
    ];
    expect(verdictOf({ readings: [...risen, ...balances(...later)] })).toBe('undecided');
    // One that is gone within Λ may be a stale copy's, or a slip: no person is asked, and still there is no verdict.
    const short = settle(evidence({ readings: balances([-1, 20], [1, 20.28], [2, 20], [6, 20], [7, 20]) }));
    expect(short).not.toHaveProperty('rise');
    expect(short.outcome).toBe('wait');
    const bought = balances([-1, 20], [1, 25], [3.5, 25], [6, 25], [7, 25]);
    expect(verdictOf({ readings: bought })).toBe('not_billed');
  });

  it('is told from what other jobs were charged', () => {
    const movements = [taken({ lo: credits(0.12), hi: credits(0.12) })];
    expect(verdictOf({ movements, readings: flat(19.88) })).toBe('not_billed');
    expect(verdictOf({ movements, readings: flat(19.6) })).toBe('billed');
    const reserved = [taken({ peak: credits(0.5) })];
    expect(verdictOf({ movements: reserved })).toBe('not_billed');
  });

  it('stays open while another job could explain the fall, and is hopeless once nothing moves any more', () => {
    const open = [taken({ toMs: null, hi: credits(0.5) })];
    expect(verdictOf({ movements: open, readings: flat(19.72) })).toBe('wait');
    const never = [taken({ hi: credits(0.5) })];
    expect(verdictOf({ movements: never, readings: flatFor(19.72, 6, 14, 14.5) })).toBe('wait');
    expect(verdictOf({ movements: never, readings: flatFor(19.72, 6, 15, 15.5) })).toBe('undecided');
    expect(verdictOf({ movements: open, readings: flatFor(19.72, 15, 104) })).toBe('wait');
    expect(verdictOf({ movements: open, readings: flatFor(19.72, 15, 105) })).toBe('undecided');
  });

  it('is not billed when two reads showed it, whatever other jobs are charged after them', () => {
    const later = taken({ fromMs: T0 + 7.5 * minute, toMs: null, hi: credits(0.6) });
    expect(verdictOf({ readings: balances([-1, 20], [6, 20], [7, 20], [8, 19.5]), movements: [later] })).toBe(
      'not_billed',
    );
    expect(verdictOf({ readings: balances([-1, 20], [6, 20], [8, 19.5]), movements: [later] })).toBe('wait');
  });

  it('starts from an older reading where the newest lies in the middle of another charge', () => {
    const spent = { lo: credits(0.4), hi: credits(0.4) };
    const movements = [taken({ fromMs: T0 - 8 * minute, toMs: T0 - 4 * minute, ...spent })];
    expect(verdictOf({ movements, readings: balances([-9, 20], [-5, 19.6], [1, 19.32]) })).toBe('billed');
    expect(verdictOf({ movements, readings: balances([-5, 19.6], [1, 19.32]) })).toBe('wait');
  });

  it('has no verdict without a balance from before the submit, or where others use the account', () => {
    expect(verdictOf({ readings: balances([6, 20], [7, 20], [15, 20], [16, 20]) })).toBe('undecided');
    expect(verdictOf({ readings: [], nowMs: T0 + 20 * minute })).toBe('undecided');
    expect(verdictOf({ exclusive: false, readings: balances([-1, 20], [1, 20]) })).toBe('undecided');
    expect(verdictOf({ exclusive: false, readings: balances([-1, 20]), nowMs: T0 })).toBe('wait');
  });

  it('has none either when nothing explains the balance: someone else spends (F19, F30)', () => {
    for (const amount of [19.5, 19.44]) {
      const settled = settle(evidence({ readings: flatFor(amount, 6, 15, 16) }));
      expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
      expect(settled.sentence).toContain('someone else');
    }
  });

  it('says so where less was spent than its requests cost: nobody else can have made it less', () => {
    const movements = [taken({ lo: credits(0.5), hi: credits(0.5) })];
    const settled = settle(evidence({ movements, readings: flatFor(19.9, 6, 15, 16) }));
    expect(settled).toMatchObject({
      outcome: 'verdict',
      verdict: 'undecided',
      sentence: expect.stringMatching(/so -0\.4000 is missing; .*: undecided: less left the balance than the prices/),
    });
    expect(settled).not.toHaveProperty('rise');
    const risen = settle(evidence({ readings: flatFor(20.2, 6, 15, 16) }));
    expect(risen.sentence).toContain('the balance rose');
  });

  it('is weighed by what a rounded balance can tell (two decimals)', () => {
    const rounded = { roundingNano: credits(0.01) };
    expect(verdictOf({ ...rounded, ...at(0.28), readings: flat(19.72) })).toBe('billed');
    expect(verdictOf({ ...rounded, ...at(0.02), readings: flat(20) })).toBe('wait');
  });

  it('does not mistake float noise for money (F28)', () => {
    expect(verdictOf({ readings: flat(20.0000003) })).toBe('not_billed');
  });

  it('reads a discount that changed meanwhile as a wider price (F31)', () => {
    const wider = { price: { lo: credits(0.224), hi: credits(0.28) } };
    expect(verdictOf({ ...wider, readings: flat(19.776) })).toBe('billed');
    expect(verdictOf({ ...wider, readings: flat(19.72) })).toBe('billed');
    expect(verdictOf(wider)).toBe('not_billed');
  });

  it('recognises a purchase of whole credits by the rise, and sets none off against small charges (F29)', () => {
    expect(verdictOf({ readings: flat(40) })).toBe('not_billed');
    expect(verdictOf({ readings: flat(39.72) })).toBe('billed');
    expect(verdictOf({ ...at(1), readings: flat(40) }), '20, or 21 and a bill').toBe('wait');
    expect(verdictOf({ ...at(20) }), 'bought and charged in one minute, or neither').toBe('wait');
    expect(verdictOf({ ...at(3) })).toBe('not_billed');
  });

  it('is looked at less and less often, so that a long case stays a short history (I17)', () => {
    let looks = 0;
    for (let nowMs = T0; nowMs < T0 + 65 * minute; looks += 1) {
      const now = { askedMs: nowMs, atMs: nowMs, balanceNano: credits(20) };
      const settled = settle(evidence({ nowMs, dueAfterMs: 63 * minute, readings: [...balances([-1, 20]), now] }));
      if (settled.outcome !== 'wait') break;
      expect(settled.untilMs).toBeGreaterThan(nowMs);
      nowMs = settled.untilMs;
    }
    expect(looks).toBeLessThan(25);
  });

  it('is told with numbers that can be followed', () => {
    const movements = [taken({ lo: credits(0.12), hi: credits(0.12) })];
    expect(settle(evidence({ movements, readings: balances([-1, 20], [6, 19.6]) })).sentence).toBe(
      'balance fell by 0.4000 between 16:39:00 and 16:46:00; other jobs explain 0.1200, so 0.2800 is missing; ' +
        'this attempt would cost 0.2800: billed',
    );
  });
});

describe('several lost answers', () => {
  it('of different prices are told apart by their sum', () => {
    const rivals = [lost({ name: 'films/b/1', ...at(0.5) })];
    expect(verdictOf({ rivals, readings: flat(19.22) })).toBe('billed');
    expect(verdictOf({ rivals, readings: flat(19.5) })).toBe('not_billed');
    expect(verdictOf({ rivals, readings: flat(19.72) })).toBe('billed');
    expect(verdictOf({ rivals, readings: flat(20) })).toBe('not_billed');
    expect(verdictOf({ rivals, readings: flatFor(19.6, 6, 15, 16) })).toBe('undecided');
  });

  it('of one price are not told apart by the balance alone', () => {
    const rivals = [lost({ name: 'films/b/1' })];
    expect(verdictOf({ rivals, readings: flat(19.72) })).toBe('wait');
    expect(verdictOf({ rivals, readings: flatFor(19.72, 6, 15, 16) })).toBe('undecided');
    expect(verdictOf({ rivals, readings: flat(19.44) })).toBe('billed');
    expect(verdictOf({ rivals })).toBe('not_billed');
  });

  it('are counted where it does not matter which of them was billed', () => {
    const rivals = Array.from({ length: 15 }, (_, i) => lost({ name: `films/r${i}/1` }));
    const equals = rivals.map(({ name }) => name);
    expect(settle(evidence({ rivals, equals, readings: flat(20 - 8 * 0.28) }))).toMatchObject({
      outcome: 'group',
      billed: 8,
    });
    expect(verdictOf({ rivals, equals, readings: flat(20 - 8 * 0.28 - 0.1) })).toBe('wait');
    const late = [...rivals.slice(1), lost({ name: 'films/r0/1', claimedAtMs: T0 + 5 * minute })];
    expect(verdictOf({ rivals: late, equals, readings: flat(20 - 8 * 0.28) }), 'one is not past its time').toBe('wait');
  });

  it('are counted alike by the last and by the first of them, however often the balance was read in between', () => {
    const firstMs = T0 - 20 * minute;
    const claims = [firstMs, T0 - 10 * minute];
    const earlier = claims.map((claimedAtMs, i) => lost({ name: `films/r${i}/1`, claimedAtMs, ...unknownTiming }));
    const equals = earlier.map(({ name }) => name);
    // The first was billed at once; then came a reading a minute, which tell nothing of it.
    const between = Array.from({ length: 19 }, (_, i): [number, number] => [i - 19, 19.72]);
    const readings = balances([-21, 20], ...between, [36, 19.44], [36.5, 19.44], [37, 19.44]);
    const nowMs = T0 + 38 * minute;
    const counted = settle(evidence({ ...unknownTiming, nowMs, rivals: earlier, equals, readings }));
    expect(counted).toMatchObject({ outcome: 'group', billed: 2 });
    // A person follows the count from before the first of them.
    const story = 'story' in counted ? counted.story : undefined;
    expect(story).toMatchObject({ fallNano: credits(0.56), rivals: 2 });
    expect(story?.base.atMs).toBeLessThanOrEqual(firstMs);
  });

  it('count with those that were judged before and may have been given back since: the sum is known', () => {
    const earlier = lost({ name: 'films/e/1', claimedAtMs: T0 - 30 * minute, ...unknownTiming });
    const price = credits(0.28);
    const bill = { fromMs: earlier.claimedAtMs, toMs: T0 - 20 * minute, afterMs: 0, lo: price, hi: price, peak: price };
    const refund = { fromMs: bill.toMs, toMs: T0 + 3 * minute, afterMs: 30 * minute, lo: -price, hi: 0, peak: 0 };
    const judged = { cases: [earlier], billed: 1, movements: [] };
    const twin = lost({ name: 'films/t/1', ...unknownTiming });
    const at = (after: number): Change => ({
      ...unknownTiming,
      ...{ rivals: [twin], equals: [twin.name] },
      nowMs: T0 + 38 * minute,
      movements: [bill, refund],
      readings: balances([-31, 20], [-10, 19.72], [-1, 19.72], [36, after], [36.5, after], [37, after]),
    });
    // A bill of one of the two and a refund of that one would show the same.
    expect(verdictOf(at(19.44))).toBe('wait');
    const counted = { outcome: 'group', billed: 1, beside: [earlier.name] };
    expect(settle(evidence({ ...at(19.44), judged }))).toMatchObject(counted);
    // What came back is for the watch of the earlier verdict.
    expect(verdictOf({ ...at(20), judged })).not.toBe('group');
    // One by itself is not told apart by it: its own verdict would be a guess.
    expect(verdictOf({ ...at(19.72), rivals: [], equals: [], judged })).toBe('wait');
  });

  it('are counted quickly, fifty of them, beside others of other prices', () => {
    const equals = Array.from({ length: 50 }, (_, i) => lost({ name: `films/r${i}/1` }));
    const others = [0.5, 0.07, 1.3].map((price, i) => lost({ name: `films/s${i}/1`, ...at(price) }));
    const names = equals.map(({ name }) => name);
    expect(verdictOf({ rivals: [...equals, ...others], equals: names, readings: flat(20 - 31 * 0.28 - 1.3) })).toBe(
      'group',
    );
  });

  it('know that a charge seen before another case began is not that case', () => {
    const later = lost({ name: 'films/b/1', claimedAtMs: T0 + 2 * minute });
    const readings = balances([-1, 20], [1, 19.72], [7, 19.72], [9, 19.72], [10, 19.72]);
    expect(verdictOf({ rivals: [later], readings })).toBe('billed');
    // The later one stays open where the earlier bill may have come back while this one was charged.
    expect(verdictOf({ ...later, rivals: [lost()], readings })).toBe('wait');
    const noRefund = { backAfterMs: null };
    expect(verdictOf({ ...later, ...noRefund, rivals: [lost(noRefund)], readings })).toBe('not_billed');
  });

  it('do not take the refund of an earlier case for a charge that never was', () => {
    const earlier = lost({ name: 'films/b/1', claimedAtMs: T0 - 5 * minute });
    // 0.28 of the earlier case stood at the start; it came back while the subject was billed.
    const readings = balances([-1, 19.72], [6, 19.72], [6.5, 19.72], [7, 19.72]);
    expect(verdictOf({ rivals: [earlier], readings })).not.toBe('not_billed');
  });
});
