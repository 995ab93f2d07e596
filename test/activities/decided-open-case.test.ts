import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { recordGroup } from '../../src/books/groups.js';
import { useReadings } from '../../src/books/readings.js';
import { spentOf } from '../../src/books/spent.js';
import type { RowRef } from '../../src/contract/workflows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { standingOf } from '../../src/domain/standing.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { firstState, stepAfter } from '../../workflows/job-state.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from './support/account-at-hand.js';

// What a person says of a case that is still open moves no balance: what it was charged, and what is given back of it,
// stays among what explains the balance for other cases.

const KIND = 'vendor-a/text2video' as const;
const FIRST = plainRow('first', { kind: KIND, cells: { prompt: 'a' } });
const SECOND = plainRow('second', { kind: KIND, index: 1, cells: { prompt: 'b' } });
const SPEECH = plainRow('speech', {
  ...{ kind: 'vendor-b/avatar', cells: { avatar_id: 'anna' } },
  media: { audio: [{ source: 'url', url: 'https://media.example/speech.mp3' }] },
});
const PRICES: PriceRule[] = ([KIND, SPEECH.kind] as const).map((kind) => ({
  kind,
  components: [{ unit: 'request', credits: '0.2' }],
}));
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
const BY = { who: 'ann' };
const NOT_BILLED: AttemptState = { state: 'ruled', atMs: 1, ruling: 'not_billed', by: BY };
const BILLED: AttemptState = { state: 'ruled', atMs: 1, ruling: 'billed', by: BY };
const RESUBMITTED: AttemptState = { state: 'overridden', atMs: 1, cause: 'person', by: BY };

async function atHand(rows: Row[]) {
  const at = await accountAtHand(rows, PRICES);
  const { deps, clock, generation } = at;
  const reopened: string[] = [];
  Object.assign(deps.messenger, {
    rowFinished: async () => true,
    reopen: async ({ row }: { row: RowRef }) => void reopened.push(row.id),
  });
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  const startMs = clock.nowMs;
  const settle = (row: Row) => settleActivities(deps).settle({ row: at.refOf(row), n: 1, ambiguity: 'if-proved' });
  return {
    ...at,
    reopened,
    settle,
    /** One reading a minute. */
    async read(from: number, to: number, credits: number) {
      for (let minute = from; minute <= to; minute += 1) {
        clock.nowMs = startMs + minute * MINUTE_MS;
        await readAccount(deps, credits);
        await useReadings(deps.books);
      }
    },
    async lose({ id, hash: rowHash, index, kind }: Row) {
      const atMs = clock.nowMs + 1_000;
      const ref = { batch: 'b', id, n: 1 };
      const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
      await deps.ledger.claim(ref, intent({ atMs, rowHash, kind, generation, index, expected }));
      await deps.ledger.append(ref, { state: 'unknown', atMs, evidence: { rule: 'T11', message: 'reset' } });
      return ref;
    },
    /** What a person decides; the row's job looks at it then. */
    async decide(row: Row, state: AttemptState) {
      await deps.ledger.append({ batch: 'b', id: row.id, n: 1 }, state);
      await settle(row);
    },
  };
}

test('the refund of a case that was ruled "not billed" is not that of another one, which was billed', async () => {
  const { deps, clock, read, lose, decide, settle, reopened } = await atHand([FIRST, SECOND]);
  await read(-1, -1, 20);
  await lose(FIRST);
  await read(1, 4, 19.8);
  // Rightly: the provider is about to fail it.
  await decide(FIRST, NOT_BILLED);
  await read(5, 20, 19.8);
  const second = await lose(SECOND);
  await read(21, 24, 19.6);
  expect(await settle(SECOND)).toMatchObject({ verdict: 'billed' });
  await deps.records.writeRecord(
    'b',
    rowRecord({
      ...{ id: 'second', kind: KIND, rowHash: SECOND.hash, attempts: 1, seenStates: 3, files: [] },
      ...{ status: 'lost_paid', reasonCode: 'answer_lost_billed', finishedAtMs: clock.nowMs },
    }),
  );
  await read(25, 39, 19.6);
  // The refund of the first one.
  await read(40, 130, 19.8);
  const attempt = await deps.ledger.readAttempt(second);
  expect(attempt && standingOf(attempt)).toBe('billed');
  expect(reopened).toEqual([]);
});

test('nor is the other found not billed where both move the balance in one minute', async () => {
  const { read, lose, decide, settle } = await atHand([FIRST, SECOND]);
  await read(-1, -1, 20);
  await lose(FIRST);
  await read(1, 4, 19.8);
  await decide(FIRST, NOT_BILLED);
  await read(5, 38, 19.8);
  await lose(SECOND);
  await read(39, 110, 19.8);
  expect(await settle(SECOND)).not.toMatchObject({ verdict: 'not_billed' });
});

test.each([
  ['given up as billed', BILLED],
  ['sent again by order', RESUBMITTED],
])('what is %s while its case is open stays in what the batch has spent (I20)', async (_, state) => {
  const { deps, read, lose, decide } = await atHand([FIRST]);
  await read(-1, -1, 20);
  await lose(FIRST);
  await read(1, 4, 19.8);
  await decide(FIRST, state);
  const spent = async () => {
    const { endedNano, openNano } = await spentOf(deps, 'b', async () => ({ configured: PRICES, measured: [] }));
    return endedNano + openNano;
  };
  const before = await spent();
  await read(5, 180, 19.8);
  expect([before, await spent()]).toEqual([PRICE_NANO, PRICE_NANO]);
});

test('what was ruled "not billed" is not spent, and leaves the index once nothing of it can move the balance', async () => {
  const { deps, read, lose, decide } = await atHand([FIRST]);
  await read(-1, -1, 20);
  const ref = await lose(FIRST);
  await read(1, 4, 19.8);
  await decide(FIRST, NOT_BILLED);
  const spent = () => spentOf(deps, 'b', async () => ({ configured: PRICES, measured: [] }));
  expect(await spent()).toMatchObject({ endedNano: 0, openNano: 0 });
  expect(await deps.ledger.isListed(ref)).toBe(true);
  await read(5, 180, 19.8);
  expect(await deps.ledger.isListed(ref)).toBe(false);
  expect(await spent()).toMatchObject({ endedNano: 0, openNano: 0 });
});

test('a charge that was given up while its case was open is not that of an older case', async () => {
  const { deps, read, lose, decide, settle } = await atHand([SPEECH, SECOND]);
  await read(-1, 0, 20);
  // Never created.
  const speech = await lose(SPEECH);
  await read(1, 9, 20);
  await lose(SECOND);
  await read(10, 14, 19.8);
  await decide(SECOND, BILLED);
  await read(15, 130, 19.8);
  await settle(SPEECH);
  await read(131, 420, 19.8);
  const attempt = await deps.ledger.readAttempt(speech);
  expect(attempt && standingOf(attempt)).not.toBe('billed');
});

test('an open case that a person had counted, with others, as not billed is sent again, also under `hold`', async () => {
  const { deps, clock, read, lose, refOf } = await atHand([FIRST, SECOND]);
  await read(-1, -1, 20);
  await lose(FIRST);
  await lose(SECOND);
  const members = ['b/first/1', 'b/second/1'];
  const group = { schema: 1, id: 'g', members, billed: ['b/first/1'], sentence: '1 of 2', atMs: clock.nowMs } as const;
  expect(await recordGroup(deps.books, { ...group, members, billed: [...group.billed] })).toBe(true);
  const row = refOf(SECOND);
  const result = await settleActivities(deps).settle({ row, n: 1, ambiguity: 'hold' });
  if (result.outcome === 'wait') throw new Error('it is settled');
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  const state = firstState({ account: 'a', row, policy, attempts: 1, begins: 'case', timeScale: 1 });
  expect(stepAfter(state, { what: 'settled', result }).next).toEqual({ step: 'submit' });
});
