// What ends the pause after a 401 or a 402: another key, a balance that rose (docs/guarantees.md, T3 and I14).
import { describe, expect, it } from 'vitest';
import type { PauseReason } from '../../src/contract/semaphore.js';
import { review } from '../../workflows/account-pauses.js';
import * as permits from '../../workflows/permits.js';

const CREDIT = 1_000_000_000;

function paused(reason: Omit<PauseReason, 'sinceMs'>) {
  const state = permits.newPermits(30_000, 0);
  permits.pause(state, reason, 0);
  const read = (balance: number | null, keyMark = 'one', shownUntilMs = 0): boolean => {
    const balanceNano = balance === null ? null : balance * CREDIT;
    review(state, { concurrent: 5, rpm: 60, balanceNano, keyMark, shownUntilMs }, () => true);
    return state.pauses.length === 0;
  };
  return { state, read };
}

describe('402 (F20)', () => {
  const refusal = (need: number | undefined, ...seen: number[]) =>
    paused({
      reason: 'credits',
      seenNano: seen.map((credits) => credits * CREDIT),
      ...(need === undefined ? {} : { needNano: need * CREDIT }),
    });

  it('5-X3, 6-O13: the same balance never ends it, however much more than needed it is', () => {
    const { read } = refusal(1, 50);
    for (let i = 0; i < 20; i += 1) expect(read(50)).toBe(false);
  });

  it('5-X3: a late balance that falls, and shows again what was there before, does not end it', () => {
    const { read } = refusal(1, 0.1, 5);
    for (const balance of [5, 5, 0.1, 5, 0.1, 0.1]) expect(read(balance)).toBe(false);
  });

  it('T3: a balance that rose ends it, where the need is known once it is met', () => {
    expect(refusal(undefined, 0.1).read(0.2)).toBe(true);
    const { read } = refusal(2, 0.1);
    expect(read(1)).toBe(false);
    expect(read(2.5)).toBe(true);
  });

  it('whole credits that were bought end it though one row needs more: another may need less', () => {
    const { read } = refusal(8, 0.1, 0.3);
    expect([read(0.9), read(0.1), read(5.1)]).toEqual([false, false, true]);
  });

  it('a top-up after a fall ends it', () => {
    const { read } = refusal(1, 0.4, 0.9);
    expect(read(0.4)).toBe(false);
    expect(read(5.4)).toBe(true);
  });

  it('a top-up to a balance that was seen before ends it once that cannot be a late balance any more', () => {
    const { state, read } = refusal(3, 2, 12);
    expect([read(12), read(2), read(12), read(2, 'one', 1)]).toEqual([false, false, false, false]);
    // A refusal that comes later is as much of a beginning.
    permits.pause(state, { reason: 'credits', seenNano: [12 * CREDIT] }, 500);
    expect(read(12, 'one', 500)).toBe(false);
    expect(read(12, 'one', 501)).toBe(true);
  });

  it('the first balance is only noted where none was known', () => {
    const { read } = refusal(1);
    expect([read(null), read(7), read(7), read(12)]).toEqual([false, false, false, true]);
  });

  it('a refusal that is known from the ledger alone is tried once', () => {
    const state = paused({ reason: 'credits', needNano: 2 * CREDIT });
    expect(state.read(1)).toBe(false);
    expect(state.read(2)).toBe(true);
  });

  it('another refusal during the pause adds what it saw', () => {
    const { state, read } = refusal(1, 0.1);
    permits.pause(state, { reason: 'credits', seenNano: [7 * CREDIT] }, 5);
    expect(read(7)).toBe(false);
    expect(read(7.5)).toBe(true);
  });
});

describe('401 (F21)', () => {
  it('5-X11: a read that is answered with the same key does not end it; another key does', () => {
    const { read } = paused({ reason: 'key', keyMark: 'one' });
    expect(read(5, 'one')).toBe(false);
    expect(read(5, 'two')).toBe(true);
  });
});
