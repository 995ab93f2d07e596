// The balance is not read for a while just when an answer is lost: a machine that sleeps, a service that is away. Little of
// that time counts, but what happened before a reading stays before it (design 3, "The principle": the truth is always
// among the consistent explanations).
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { MINUTE_MS, readAccount } from '../activities/support/account-at-hand.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const [A, B] = filmsOf('a', 'b') as [Row, Row];
const LOST = { rule: 'T11', message: 'reset' } as const;
const exactly = (nano: number) => ({ lo: nano, hi: nano });

/** Gaps that count next to nothing, as long as is usual, and something in between. */
const GAPS = [1, 5, 16, 120];

test.each(GAPS)('a bill of an account that was never read before is none of before its claim (%i min)', async (gap) => {
  const { lose, readUntil, sleepUntil, settle } = await filmsAtHand([A]);
  await lose(A);
  sleepUntil(gap);
  await readUntil(gap + 70, () => 0.2);
  expect(await settle(A)).not.toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});

test.each(GAPS)('alone, a bill is found, and nobody else is said to spend (%i min)', async (gap) => {
  const { lose, readUntil, sleepUntil, settle } = await filmsAtHand([A]);
  await readUntil(10);
  await lose(A);
  sleepUntil(10 + gap);
  await readUntil(10 + gap + 70, () => 0.2);
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});

test.each(GAPS)('beside a job whose price is a range a bill is not taken for that one’s (%i min)', async (gap) => {
  const { deps, clock, claim, created, render, readUntil, sleepUntil, settle } = await filmsAtHand([A, B], []);
  await readUntil(10);
  const claimedAtMs = clock.nowMs;
  await claim(B, 1, { lo: 0.4e9, hi: 1.2e9 });
  clock.nowMs += 1_000;
  await created(B, 1, 'h-b');
  clock.nowMs += 10_000;
  const ref = await claim(A, 1, exactly(0.5e9));
  await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs + 1_000, evidence: LOST });
  sleepUntil(11 + gap);
  await readUntil(11 + gap, () => 1);
  await render(B, 1, claimedAtMs, claimedAtMs + 1_000);
  await readUntil(11 + gap + 75, () => 1);
  expect(await settle(A)).not.toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});

test.each(GAPS)(
  'two of a price that rounding nearly hides, both billed, are not counted as one (%i min)',
  async (gap) => {
    const { deps, clock, startMs, claim, settle } = await filmsAtHand([A, B], []);
    const readFrom = async (from: number, to: number, credits: number): Promise<void> => {
      for (let minute = from; minute <= to; minute += 1) {
        clock.nowMs = startMs + minute * MINUTE_MS;
        await readAccount(deps, credits);
        clock.nowMs += 1_000;
      }
    };
    await readFrom(0, 10, 20);
    for (const row of [A, B]) {
      const ref = await claim(row, 1, exactly(0.02e9));
      await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: LOST });
      clock.nowMs += 15_000;
    }
    await readFrom(11 + gap, 11 + gap + 75, 19.96);
    for (const row of [A, B])
      expect(await settle(row)).not.toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
  },
);

test.each(GAPS)('a bill of what was lost within the gap is not that of the one before (%i min)', async (gap) => {
  const { clock, startMs, lose, readUntil, sleepUntil, settle } = await filmsAtHand([A, B]);
  await readUntil(10);
  await lose(A);
  await readUntil(12);
  clock.nowMs = startMs + (12 + gap * 0.8) * MINUTE_MS;
  await lose(B);
  sleepUntil(12 + gap);
  await readUntil(12 + gap, () => 0.2);
  expect(await settle(A)).not.toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});
