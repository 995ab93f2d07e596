// Of a group one was billed, two are sent again, and then the jobs of both of these turn up: the count was wrong (F8).

import { expect, test } from 'vitest';
import { isMiscountedRow } from '../../src/books/group-labels.js';
import { useReadings } from '../../src/books/readings.js';
import { flagsOf } from '../../src/home/earlier-render.js';
import { isTrusted } from '../../src/home/verdicts.js';
import { rowRecord } from '../support/row-record.js';
import { FILM, filmsAtHand, filmsOf } from './support/films-at-hand.js';

const ROWS = filmsOf('a', 'b', 'c');

test('more jobs of a group turn up than were found billed, after their rows were paid again', async () => {
  const { deps, clock, claim, lose, created, render, readUntil, settle } = await filmsAtHand(ROWS);
  let spent = 0;
  let minute = 0;
  const until = async (to: number) => {
    await readUntil(to, () => spent);
    minute = to;
  };
  const claims: number[] = [];
  for (const row of ROWS) {
    await until(claims.length);
    claims.push(clock.nowMs);
    await lose(row);
  }
  // One of the three is charged, anybody's.
  await until(30);
  spent = 0.2;
  await until(75);
  const verdicts: unknown[] = [];
  for (const row of ROWS) verdicts.push(await settle(row));
  expect(verdicts).toMatchObject([{ verdict: 'billed' }, { verdict: 'not_billed' }, { verdict: 'not_billed' }]);
  const again = ROWS.slice(1);
  // Both are sent again and rendered.
  for (const row of again) {
    await claim(row, 2);
    await created(row, 2, `second-${row.id}`);
    spent += 0.2;
    await render(row, 2, clock.nowMs);
    const done = { id: row.id, kind: FILM, rowHash: row.hash, attempts: 2, finishedAtMs: clock.nowMs };
    await deps.records.writeRecord('b', rowRecord(done));
    await until(minute + 1);
  }
  await until(80);
  await useReadings(deps.books);
  expect(await isTrusted(deps.home)).toBe(true);
  // The first job of b turns up: it is what was charged. That of c was born later than was assumed, and costs as well.
  for (const [i, row] of again.entries()) {
    await created(row, 1, `late-${row.id}`);
    await render(row, 1, claims[i + 1] ?? 0);
    if (i === 1) spent += 0.2;
    await useReadings(deps.books);
    expect(await isTrusted(deps.home)).toBe(i === 0);
  }
  await until(90);
  await useReadings(deps.books);
  // Four films were paid for three rows: somebody has to be told, and nothing is sent again by itself from here on.
  expect(await isTrusted(deps.home)).toBe(false);
  for (const { id } of again) {
    const attempts = await deps.ledger.read('b', id);
    expect(flagsOf(attempts, await isMiscountedRow(deps.books, { batch: 'b', id }, attempts))).toContain(
      'possibly_paid_twice',
    );
    expect(await deps.records.readRecord('b', id)).toMatchObject({
      ...{ status: 'review', reasonCode: 'verdict_contradicted', flags: ['possibly_paid_twice'] },
    });
  }
});
