// A handle that turns up of a group's other member: what both cost is what one of them cost (design 3, Interchangeable attempts).

import { expect, test } from 'vitest';
import { useReadings } from '../../src/books/readings.js';
import type { Row } from '../../src/domain/row.js';
import { learnedFacts } from '../../src/home/learned.js';
import { MINUTE_MS } from '../activities/support/account-at-hand.js';
import { FILM, filmsAtHand, filmsOf } from './support/films-at-hand.js';

const ROWS = filmsOf('a', 'b', 'c');
const [A, B, C] = ROWS as [Row, Row, Row];

/** Of A and B one was billed: which of them is a label. A was never made; B's film costs at minute 30, the next one later. */
async function loseTwo(secondMinute: number) {
  const at = await filmsAtHand(ROWS);
  const until = (minute: number) => at.readUntil(minute, (now) => (now < 30 ? 0 : now < secondMinute ? 0.2 : 0.4));
  const settleTwo = async () => {
    await until(0);
    await at.lose(A);
    await until(1);
    await at.lose(B);
    await until(70);
    expect(await at.settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
    expect(await at.settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
  };
  return { ...at, until, settleTwo };
}

test.each([true, false])(
  'a lost answer that was billed is not found unbilled because a handle of a settled group turned up (turns up: %s)',
  async (turnsUp) => {
    // The film of C costs at minute 100.
    const { deps, startMs, lose, created, render, until, settle, settleTwo } = await loseTwo(100);
    // Three lone charges have shown that this model charges at completion.
    const charges = { timing: 'at-completion', attempts: ['1', '2', '3'], revoked: false };
    await learnedFacts.write(deps.home, {
      ...{ schema: 1, latenessMs: 0, latenessAtMs: 0, chargedAtSubmit: [] },
      timings: [{ kind: FILM, model: 'vendor-a-v3', ...charges } as never],
    });
    await settleTwo();
    await until(80);
    await lose(C);
    await until(85);
    if (turnsUp) {
      // The process that had been paused goes on: it was B's job after all, and its poll says so.
      await created(B, 1, 'late');
      await render(B, 1, startMs + MINUTE_MS);
    }
    await until(95);
    // As every reading has it: the verdicts that stand are compared with it.
    await useReadings(deps.books);
    await until(150);
    await useReadings(deps.books);
    expect(await settle(C)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  },
);

test('the row labelled lost_paid stays so where the handle is of a row that was sent again', async () => {
  // The second film of B costs at minute 75.
  const { deps, clock, startMs, claim, created, render, until, settleTwo } = await loseTwo(75);
  const reopened: string[] = [];
  const reopen = async ({ row }: { row: { id: string } }) => {
    reopened.push(row.id);
    return true;
  };
  Object.assign(deps.books.messenger, { reopen });
  await settleTwo();
  const labelOfA = async () => (await deps.ledger.readAttempt({ batch: 'b', id: 'a', n: 1 }))?.states.at(-1);
  const againMs = clock.nowMs;
  await claim(B, 2);
  await created(B, 2, 'second');
  await until(75);
  await render(B, 2, againMs, againMs);
  await until(85);
  await useReadings(deps.books);
  expect(await labelOfA()).toMatchObject({ verdict: 'billed' });
  await created(B, 1, 'late');
  await render(B, 1, startMs + MINUTE_MS);
  await until(95);
  await useReadings(deps.books);
  expect(reopened).toEqual([]);
  expect(await labelOfA()).toMatchObject({ verdict: 'billed' });
});
