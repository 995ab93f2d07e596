// A line of a row that a disk has damaged: its own attempt has no price any more, and every other case is settled all the same.

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { attemptsSince } from '../../src/books/attempts.js';
import { finishBooks } from '../../src/books/finish-books.js';
import { closeBooks } from '../../src/books/readings.js';
import { auditVerdicts } from '../../src/books/verdicts.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { watchedVerdicts, watchVerdict } from '../../src/home/verdicts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const KIND = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'p' };
const DAMAGED = plainRow('damaged', { kind: KIND, cells });
const WHOLE = plainRow('whole', { kind: KIND, index: 1, cells });
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];

/** A film that renders and a lost answer beside it; the line of the former may be damaged. */
async function stand(isDamaged: boolean) {
  const { deps, clock, refOf, generation } = await accountAtHand([DAMAGED, WHOLE], PRICES);
  const startMs = clock.nowMs;
  const claim = async ({ id, hash: rowHash, index }: Row) => {
    const expected = { lo: 0.2 * NANO_PER_CREDIT, hi: 0.2 * NANO_PER_CREDIT };
    const ref = { batch: 'b', id, n: 1 };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index, expected }));
    return ref;
  };
  await readAccount(deps, 20);
  await deps.ledger.append(await claim(DAMAGED), { state: 'created', atMs: clock.nowMs, handle: 'h' });
  clock.nowMs += MINUTE_MS;
  const evidence = { rule: 'T11', message: 'reset' };
  await deps.ledger.append(await claim(WHOLE), { state: 'unknown', atMs: clock.nowMs, evidence });
  if (isDamaged) {
    const { store, keys } = deps.home;
    const key = keys.part('b', generation, 0);
    const [first = '', ...others] = Buffer.from((await store.get(key)) ?? [])
      .toString('utf8')
      .split('\n');
    await store.put(key, Buffer.from([first.replace(/./g, '?'), ...others].join('\n')));
    // The worker began anew since.
    Object.assign(deps.books, { rows: openAccountRecords(store, 'a').rows });
    Object.assign(deps, { rows: deps.books.rows });
  }
  for (let minute = 2; minute <= 5; minute += 1) {
    clock.nowMs = startMs + minute * MINUTE_MS;
    await readAccount(deps, 19.6);
  }
  return { deps, startMs, settle: () => settleActivities(deps).settle({ row: refOf(WHOLE), n: 1 }) };
}

test('both lines are whole: 0.4 are gone, and no more than 0.2 of it by the other', async () => {
  const { settle } = await stand(false);
  expect(await settle()).toMatchObject({ verdict: 'billed' });
});

test('a damaged line of one row keeps no other case of the account from being weighed', async () => {
  const { settle } = await stand(true);
  expect(await settle()).toMatchObject({ outcome: expect.stringMatching(/wait|verdict/) });
});

test('nor any batch of the account from closing its books', async () => {
  const { deps, startMs } = await stand(true);
  await expect(closeBooks(deps.books, 'b', startMs)).resolves.toBeUndefined();
});

test('its own end is entered without a price: no more than was expected of it', async () => {
  const { deps, startMs } = await stand(true);
  const ref = { batch: 'b', id: 'damaged', n: 1 };
  await deps.ledger.append(ref, { state: 'rendered', atMs: startMs + 3 * MINUTE_MS, outputs: [], facts: {} });
  await finishBooks(deps.books, ref, (await deps.ledger.readAttempt(ref)) ?? expect.fail());
  expect(await deps.ledger.isListed(ref)).toBe(false);
  const { known } = await attemptsSince(deps.books, 0);
  expect(known).toMatchObject([{ name: 'b/damaged/1', end: 'undecided', lo: 0, hi: 0.2 * NANO_PER_CREDIT }]);
});

test('a verdict that cannot be looked at again is not in the way of the next one', async () => {
  const { deps } = await stand(false);
  for (const id of ['damaged', 'whole'])
    await watchVerdict(deps.home, { batch: 'b', id, n: 1, kind: KIND, verdict: 'undecided', atMs: 0, untilMs: 0 });
  const { book, ledger } = deps.books;
  const state = { state: 'verdict', atMs: 1, verdict: 'undecided', sentence: '' } as const;
  await ledger.append({ batch: 'b', id: 'whole', n: 1 }, state);
  const away = async function* (): AsyncGenerator<never> {
    yield* [];
    throw new Error('away');
  };
  Object.assign(deps.books, { book: { ...book, each: away } });
  await auditVerdicts(deps.books);
  expect(await watchedVerdicts(deps.home)).toEqual([]);
});
