// An accepted job that nobody polls to its end bounds what the balance can tell of it, and leaves the index (design 3, I21).
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { attemptsSince } from '../../src/books/attempts.js';
import { bookEnd } from '../../src/books/charges.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import type { ResultState } from '../../src/home/attempts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const KIND = 'vendor-a/text2video' as const;
const EARLIER = plainRow('earlier', { kind: KIND, cells: { prompt: 'a' } });
const LATER = plainRow('later', { kind: KIND, index: 1, cells: { prompt: 'b' } });
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
/** Dmax of an hour, Ρ of half an hour and Λ of two minutes, after the job was accepted in minute 0. */
const OVER = 92;
const REF = { batch: 'b', id: EARLIER.id, n: 1 };

const LOST: AttemptState = { state: 'unknown', atMs: 1, evidence: { rule: 'T11', message: 'reset' } };
const AGAIN: AttemptState = { state: 'overridden', atMs: 1, cause: 'person', by: { who: 'ann' } };
const CREATED: AttemptState = { state: 'created', atMs: 1, handle: 'task-1' };

async function account() {
  const { deps, clock, refOf, generation } = await accountAtHand([EARLIER, LATER], PRICES);
  const startMs = clock.nowMs;
  const at = (minute: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    return clock.nowMs;
  };
  const read = (minute: number, credits: number) => {
    at(minute);
    return readAccount(deps, credits);
  };
  const claim = async ({ id, hash: rowHash, index }: Row, n: number, minute: number, then: AttemptState[]) => {
    const atMs = at(minute);
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const ref = { batch: 'b', id, n };
    await deps.ledger.claim(ref, intent({ atMs, rowHash, kind: KIND, generation, index, expected }));
    for (const state of then) await deps.ledger.append(ref, { ...state, atMs } as AttemptState);
    return ref;
  };
  const end = (record: Partial<RowRecord>) =>
    deps.records.writeRecord(
      'b',
      rowRecord({ id: EARLIER.id, kind: KIND, rowHash: EARLIER.hash, finishedAtMs: startMs + MINUTE_MS, ...record }),
    );
  const settle = () => settleActivities(deps).settle({ row: refOf(LATER), n: 1, ambiguity: 'if-proved' });
  /** How the books see the earlier row's first attempt. */
  const known = async () => {
    const { known: all } = await attemptsSince(deps.books, startMs);
    const of = all.find(({ name }) => name === 'b/earlier/1');
    return { end: of?.end, endedAtMs: of?.endedAtMs, isListed: await deps.ledger.isListed(REF) };
  };
  return { deps, startMs, at, read, claim, end, settle, known };
}

const REVIEW = { status: 'review', reasonCode: 'handle_expired', seenStates: 2 } as const;

test('a row that was resubmitted by a person, then its first answer came, late: another lost answer is settled', async () => {
  const { deps, read, at, claim, end, settle } = await account();
  await claim(EARLIER, 1, 0, [LOST, AGAIN, CREATED]);
  const second = await claim(EARLIER, 2, 3, [{ ...CREATED, handle: 'task-2' } as AttemptState]);
  const claimedAtMs = at(3);
  const done: ResultState = { state: 'rendered', atMs: at(4), outputs: [], facts: {} };
  await deps.ledger.append(second, done);
  await bookEnd(deps.books, EARLIER, second, done, { claimedAtMs });
  await end({ attempts: 2 });
  for (let minute = 140; minute < 150; minute += 1) await read(minute, 20);
  await claim(LATER, 1, 150, [LOST]);
  for (let minute = 151; minute < 160; minute += 1) await read(minute, 19.8);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});

test('a charge of it stays possible until the longest render, the refund and the balance had their time, and no longer', async () => {
  const { startMs, at, claim, end, known } = await account();
  await claim(EARLIER, 1, 0, [CREATED]);
  await end(REVIEW);
  at(OVER);
  expect(await known()).toEqual({ end: 'open', endedAtMs: null, isListed: true });
  at(OVER + 1);
  const ended = { end: 'undecided', endedAtMs: startMs + 60 * MINUTE_MS, isListed: false };
  expect(await known()).toEqual(ended);
  // From then on the book says so.
  expect(await known()).toEqual(ended);
});

test('a fall of the balance within that span can be its charge: it proves no other bill', async () => {
  const { read, claim, end, settle } = await account();
  await read(-1, 20);
  await claim(EARLIER, 1, 0, [CREATED]);
  await end(REVIEW);
  await claim(LATER, 1, 50, [LOST]);
  for (let minute = 51; minute < 140; minute += 1) await read(minute, 19.8);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
});

test.each<[string, Partial<RowRecord> | null]>([
  ['whose row has not ended', null],
  ['that the record of its row has not seen', { ...REVIEW, seenStates: 1 }],
])('an accepted job %s is polled on: it stays open', async (_, record) => {
  const { at, claim, end, known } = await account();
  await claim(EARLIER, 1, 0, [CREATED]);
  if (record !== null) await end(record);
  at(10 * OVER);
  expect(await known()).toEqual({ end: 'open', endedAtMs: null, isListed: true });
});

test('a job that a poll saw running after its longest render is over so much later', async () => {
  const { deps, startMs, at, claim, end, known } = await account();
  await claim(EARLIER, 1, 0, [CREATED]);
  await end(REVIEW);
  deps.books.running.note(REF, at(90));
  at(90 + 32);
  expect(await known()).toMatchObject({ end: 'open' });
  at(90 + 33);
  expect(await known()).toMatchObject({ end: 'undecided', endedAtMs: startMs + 90 * MINUTE_MS });
});
