// A handle that turns up of a group's other member: what both cost is what one of them cost (design 3, Interchangeable attempts).

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { bookEnd } from '../../src/books/charges.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import type { EndState } from '../../src/home/attempts.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { learnedFacts } from '../../src/home/learned.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const ROWS = ['a', 'b', 'c'].map((id, index) => plainRow(id, { kind: KIND, index, cells }));
const [A, B, C] = ROWS as [Row, Row, Row];
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

/** Of A and B one was billed: which of them is a label. */
async function loseTwo(at: {
  until: (minute: number) => Promise<void>;
  lose: (row: Row) => Promise<unknown>;
  settle: (row: Row) => Promise<unknown>;
}): Promise<void> {
  await at.until(0);
  await at.lose(A);
  await at.until(1);
  await at.lose(B);
  await at.until(70);
  expect(await at.settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await at.settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
}

test.each([true, false])(
  'a lost answer that was billed is not found unbilled because a handle of a settled group turned up (turns up: %s)',
  async (turnsUp) => {
    const { deps, clock, refOf, generation } = await accountAtHand(ROWS, PRICES);
    const startMs = clock.nowMs;
    // Three lone charges have shown that this model charges at completion.
    const timing = {
      kind: KIND,
      model: 'vendor-a-v3',
      timing: 'at-completion',
      attempts: ['1', '2', '3'],
      revoked: false,
    };
    await learnedFacts.write(deps.home, {
      ...{ schema: 1, latenessMs: 0, latenessAtMs: 0, chargedAtSubmit: [] },
      timings: [timing as never],
    });
    await writeBatchOrder(deps.home, 'b', {
      limits: { maxCreditsNano: null, maxFailures: null },
      policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
    });
    const lose = async ({ id, hash: rowHash, index }: Row) => {
      const ref = { batch: 'b', id, n: 1 };
      const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
      await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
      await deps.ledger.append(ref, {
        ...{ state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } },
      } as never);
    };
    let now = 0;
    /** One reading a minute; B's film costs at minute 30, C's at minute 100; A was never made. */
    const until = async (minute: number) => {
      for (; now <= minute; now += 1) {
        clock.nowMs = startMs + now * MINUTE_MS;
        await readAccount(deps, now < 30 ? 20 : now < 100 ? 19.8 : 19.6);
        clock.nowMs += 1_000;
      }
    };
    const settle = (row: Row) => settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
    await loseTwo({ until, lose, settle });
    await until(80);
    await lose(C);
    await until(85);
    if (turnsUp) {
      // The process that had been paused goes on: it was B's job after all, and its poll says so.
      const ref = { batch: 'b', id: 'b', n: 1 };
      await deps.ledger.append(ref, { state: 'created', atMs: clock.nowMs, handle: 'late' });
      const end: EndState = { state: 'rendered', atMs: clock.nowMs + 10_000, outputs: [], facts: {} };
      await deps.ledger.append(ref, end);
      await bookEnd(deps.books, B, ref, end, { claimedAtMs: startMs + MINUTE_MS, createdAtMs: clock.nowMs });
    }
    await until(95);
    // As every reading has it: the verdicts that stand are compared with it.
    Object.assign(deps.books.messenger, { reopen: async () => true, rowFinished: async () => true });
    await useReadings(deps.books);
    await until(150);
    await useReadings(deps.books);
    expect(await settle(C)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  },
);

test('the row labelled lost_paid stays so where the handle is of a row that was sent again', async () => {
  const { deps, clock, refOf, generation } = await accountAtHand(ROWS, PRICES);
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  const reopened: string[] = [];
  const reopen = async ({ row }: { row: { id: string } }) => {
    reopened.push(row.id);
    return true;
  };
  Object.assign(deps.books.messenger, { reopen, rowFinished: async () => true });
  const claim = async ({ id, hash: rowHash, index }: Row, n: number) => {
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const ref = { batch: 'b', id, n };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    return ref;
  };
  const lost = { rule: 'T11', message: 'reset' };
  const lose = async (row: Row) =>
    deps.ledger.append(await claim(row, 1), { state: 'unknown', atMs: clock.nowMs, evidence: lost });
  /** The service says that the job is done. */
  const render = async (n: number, claimedAtMs: number, createdAtMs: number) => {
    const ref = { batch: 'b', id: 'b', n };
    const end: EndState = { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} };
    await deps.ledger.append(ref, end);
    await bookEnd(deps.books, B, ref, end, { claimedAtMs, createdAtMs });
  };
  let now = 0;
  /** B's first film costs at minute 30, its second one at minute 75; A was never made. */
  const until = async (minute: number) => {
    for (; now <= minute; now += 1) {
      clock.nowMs = startMs + now * MINUTE_MS;
      await readAccount(deps, now < 30 ? 20 : now < 75 ? 19.8 : 19.6);
      clock.nowMs += 1_000;
    }
  };
  const settle = (row: Row) => settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' });
  await loseTwo({ until, lose, settle });
  const againMs = clock.nowMs;
  await deps.ledger.append(await claim(B, 2), { state: 'created', atMs: clock.nowMs, handle: 'second' });
  await until(75);
  await render(2, againMs, againMs);
  await until(85);
  await useReadings(deps.books);
  expect((await deps.ledger.readAttempt({ batch: 'b', id: 'a', n: 1 }))?.states.at(-1)).toMatchObject({
    verdict: 'billed',
  });
  await deps.ledger.append({ batch: 'b', id: 'b', n: 1 }, { state: 'created', atMs: clock.nowMs, handle: 'late' });
  await render(1, startMs + MINUTE_MS, clock.nowMs);
  await until(95);
  await useReadings(deps.books);
  expect(reopened).toEqual([]);
  expect((await deps.ledger.readAttempt({ batch: 'b', id: 'a', n: 1 }))?.states.at(-1)).toMatchObject({
    verdict: 'billed',
  });
});
