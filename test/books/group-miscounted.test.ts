// Of a group one was billed, two are sent again, and then the jobs of both of these turn up: the count was wrong (F8).

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { bookEnd } from '../../src/books/charges.js';
import { isMiscountedRow } from '../../src/books/group-labels.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import type { EndState } from '../../src/home/attempts.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { flagsOf } from '../../src/home/earlier-render.js';
import { isTrusted } from '../../src/home/verdicts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const ROWS = ['a', 'b', 'c'].map((id, index) => plainRow(id, { kind: KIND, index, cells }));
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

test('more jobs of a group turn up than were found billed, after their rows were paid again', async () => {
  const rows = ROWS;
  const { deps, clock, refOf, generation } = await accountAtHand(rows, PRICES);
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  Object.assign(deps.books.messenger, { reopen: async () => true, rowFinished: async () => true });
  const claim = async ({ id, hash: rowHash, index }: Row, n: number) => {
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const ref = { batch: 'b', id, n };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    return ref;
  };
  const evidence = { rule: 'T11', message: 'reset' };
  let spent = 0;
  let now = 0;
  const until = async (minute: number) => {
    for (; now <= minute; now += 1) {
      clock.nowMs = startMs + now * MINUTE_MS;
      await readAccount(deps, 20 - spent);
      clock.nowMs += 1_000;
    }
  };
  const render = async (row: Row, n: number, claimedAtMs: number, handle: string) => {
    const ref = { batch: 'b', id: row.id, n };
    await deps.ledger.append(ref, { state: 'created', atMs: clock.nowMs, handle });
    const end: EndState = { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} };
    await deps.ledger.append(ref, end);
    spent = Math.round((spent + 0.2) * 10) / 10;
    await bookEnd(deps.books, row, ref, end, { claimedAtMs, createdAtMs: clock.nowMs });
  };
  await until(0);
  const claims: number[] = [];
  for (const row of rows) {
    claims.push(clock.nowMs);
    await deps.ledger.append(await claim(row, 1), { state: 'unknown', atMs: clock.nowMs, evidence });
    await until(now);
  }
  // One of the three is charged, anybody's.
  await until(30);
  spent = 0.2;
  await until(75);
  const verdicts: string[] = [];
  for (const row of rows) {
    const settled = await settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
    verdicts.push(settled.outcome === 'verdict' ? settled.verdict : settled.outcome);
  }
  expect(verdicts).toEqual(['billed', 'not_billed', 'not_billed']);
  const again = rows.slice(1);
  // Both are sent again and rendered.
  for (const row of again) {
    await claim(row, 2);
    await render(row, 2, clock.nowMs, `second-${row.id}`);
    const done = { id: row.id, kind: KIND, rowHash: row.hash, attempts: 2, finishedAtMs: clock.nowMs };
    await deps.records.writeRecord('b', rowRecord(done));
    await until(now);
  }
  await until(80);
  await useReadings(deps.books);
  expect(await isTrusted(deps.home)).toBe(true);
  // The first job of b turns up: it is what was charged. That of c was born later than was assumed, and costs as well.
  for (const [i, row] of again.entries()) {
    if (i === 0) spent = Math.round((spent - 0.2) * 10) / 10;
    await render(row, 1, claims[i + 1] ?? 0, `late-${row.id}`);
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
