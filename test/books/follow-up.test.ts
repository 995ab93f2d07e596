import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { attemptsSince } from '../../src/books/attempts.js';
import { bookEnd } from '../../src/books/charges.js';
import { movementsOf } from '../../src/books/check/evidence.js';
import { explainedBetween, indexMovements } from '../../src/books/check/movement-index.js';
import { settle } from '../../src/books/check/settle.js';
import { gatherEvidence } from '../../src/books/evidence.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { Row } from '../../src/domain/row.js';
import { modelOf } from '../../src/manifest/columns.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

// Motion control may be charged once more after its completion (service document 2, motion control).

const DANCE = plainRow('dance', {
  kind: 'vendor-a/motion-control',
  cells: { character_orientation: 'video', input_video_seconds: 4 },
});
const TALK = plainRow('talk', { index: 1, kind: 'vendor-b/avatar', cells: { avatar_id: 'ann', script: 'hello' } });
const DANCE_NANO = 0.2 * NANO_PER_CREDIT;
const PRICES = [
  { kind: DANCE.kind, components: [{ unit: 'request' as const, credits: '0.2' }] },
  { kind: TALK.kind, components: [{ unit: 'second' as const, credits: '0.001', upTo: 60 }] },
];

/** An account, and its readings by minute. */
async function timedAccount(...of: Parameters<typeof accountAtHand>) {
  const home = await accountAtHand(...of);
  const { deps, clock } = home;
  const startMs = clock.nowMs;
  const read = (minute: number, credits: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    return readAccount(deps, credits);
  };
  return { ...home, startMs, read };
}

/** It has shown three times that motion control is charged at its submit. */
async function paidAtSubmit(...of: Parameters<typeof accountAtHand>) {
  const account = await timedAccount(...of);
  for (const name of ['b/x/1', 'b/y/1', 'b/z/1']) {
    const timings = [{ kind: DANCE.kind, model: modelOf(DANCE) ?? '', timing: 'at-submit' as const, name }];
    await account.deps.books.learned.keep({ latenessMs: 0, refundMs: 0, balances: [], timings });
  }
  return account;
}

/** Both answers are lost; the balance falls by the dance and a follow-up of a quarter of it. */
async function bothLost() {
  const account = await timedAccount([DANCE, TALK], PRICES);
  const { deps, generation, startMs, read } = account;
  const lose = async ({ id, index, kind, hash }: Row, hi: number) => {
    const expected = { lo: kind === DANCE.kind ? hi : 0, hi };
    const claim = intent({ atMs: startMs, rowHash: hash, kind, generation, index, expected });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claim);
    const lost = { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } } as const;
    await deps.ledger.append({ batch: 'b', id, n: 1 }, lost);
  };
  await read(-1, 20);
  await lose(DANCE, DANCE_NANO);
  return { ...account, lose };
}

test('what it was charged later is not taken for another lost answer', async () => {
  const { deps, read, lose } = await bothLost();
  await lose(TALK, 0.06 * NANO_PER_CREDIT);
  for (const minute of [1, 2, 3]) await read(minute, 19.75);
  const ref = { batch: 'b', id: 'talk', n: 1 };
  const attempt = await deps.ledger.readAttempt(ref);
  const evidence = await gatherEvidence(deps.books, TALK.kind, ref, attempt ?? { n: 1, states: [], torn: true });
  // Up to the longest driver clip, 30 s in place of 4.
  expect(evidence.rivals.map((one) => one.price)).toEqual([{ lo: DANCE_NANO, hi: 7.5 * DANCE_NANO }]);
  expect(settle(evidence).outcome).toBe('wait');
});

test('it is expected after a bill that was found by the balance, too', async () => {
  const { deps, read, refOf, startMs } = await bothLost();
  for (const minute of [1, 2, 3]) await read(minute, 19.8);
  expect(await settleActivities(deps).settle({ row: refOf(DANCE), n: 1 })).toMatchObject({ verdict: 'billed' });
  const { known } = await attemptsSince(deps.books, startMs);
  const later = known.find((one) => one.end === 'follow_up');
  expect(later).toMatchObject({ claimedAtMs: startMs, lo: 0, hi: 6.5 * DANCE_NANO });
});

test('S2: it may have come while nobody had seen the end of a job that paid its price at the submit', async () => {
  const { deps, clock, refOf, generation, startMs, read } = await paidAtSubmit([DANCE, TALK], PRICES);
  const claim = ({ id, index, kind, hash }: Row, expected: { lo: number; hi: number }) =>
    deps.ledger.claim(
      { batch: 'b', id, n: 1 },
      intent({ atMs: clock.nowMs, rowHash: hash, kind, generation, index, expected }),
    );
  await read(-1, 20);
  clock.nowMs = startMs;
  await claim(DANCE, { lo: DANCE_NANO, hi: DANCE_NANO });
  await deps.ledger.append(
    { batch: 'b', id: 'dance', n: 1 },
    { state: 'created', atMs: startMs + 1_000, handle: 'h1' },
  );
  for (const minute of [1, 5, 9]) await read(minute, 19.8);
  await claim(TALK, { lo: 0, hi: 0.06 * NANO_PER_CREDIT });
  const lost = { state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } } as const;
  await deps.ledger.append({ batch: 'b', id: 'talk', n: 1 }, lost);
  for (const minute of [11, 12, 13]) await read(minute, 19.75);
  // The dance may have ended and been charged a quarter more, or the talk was charged.
  expect(await settleActivities(deps).settle({ row: refOf(TALK), n: 1 })).toMatchObject({ outcome: 'wait' });
});

test('it may have come before a poll saw the end', async () => {
  const { deps, startMs } = await bothLost();
  const end = { state: 'rendered', atMs: startMs + 4 * MINUTE_MS, outputs: [], facts: {} } as const;
  await bookEnd(
    deps.books,
    DANCE,
    { batch: 'b', id: 'dance', n: 2 },
    { ...end, outputs: [] },
    { claimedAtMs: startMs },
  );
  const { known } = await attemptsSince(deps.books, startMs);
  const movements = known.filter((one) => one.n === 2).flatMap((one) => movementsOf(one, 0));
  const index = indexMovements({ movements, lambdaMs: 0 });
  const at = (minute: number) => {
    const atMs = startMs + minute * MINUTE_MS;
    return { askedMs: atMs, atMs, balanceNano: 0 };
  };
  expect(explainedBetween(index, at(-1), at(3))).toEqual({ lo: 0, hi: 7.5 * DANCE_NANO });
});

test('it may come as late as a refund, where those are later than a render is long', async () => {
  const { deps, clock } = await accountAtHand([DANCE], PRICES);
  Object.assign(deps.books.settings.waits, { rhoMs: 90 * MINUTE_MS });
  const claimedAtMs = clock.nowMs;
  const end = { state: 'rendered', atMs: clock.nowMs + MINUTE_MS, outputs: [], facts: {} } as const;
  await bookEnd(deps.books, DANCE, { batch: 'b', id: 'dance', n: 1 }, { ...end, outputs: [] }, { claimedAtMs });
  const { known } = await attemptsSince(deps.books, claimedAtMs);
  expect(known.find((one) => one.end === 'follow_up')).toMatchObject({ endedAtMs: end.atMs + 90 * MINUTE_MS });
});

test('a discount that is over by then makes it dearer than the price of its job', async () => {
  const { deps, clock } = await accountAtHand([DANCE], PRICES);
  const claimedAtMs = clock.nowMs;
  const untilMs = claimedAtMs + 5 * MINUTE_MS;
  const half = { entrypoint: 'vendor-a', multiplierPpb: 5e8, effectiveFromMs: 0, effectiveToMs: untilMs };
  await deps.books.discounts.keep([half]);
  clock.nowMs += 4 * MINUTE_MS;
  const end = { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} } as const;
  await bookEnd(deps.books, DANCE, { batch: 'b', id: 'dance', n: 1 }, { ...end, outputs: [] }, { claimedAtMs });
  const { known } = await attemptsSince(deps.books, claimedAtMs);
  expect(known.find((one) => one.end === 'charged')).toMatchObject({ lo: DANCE_NANO / 2, hi: DANCE_NANO / 2 });
  expect(known.find((one) => one.end === 'follow_up')).toMatchObject({ lo: 0, hi: 6.5 * DANCE_NANO });
});

test('it may come of a lost answer whose own bill cannot come any more', async () => {
  const film = plainRow('film', { index: 2, kind: 'vendor-a/text2video', cells: { prompt: 'a', duration: 5 } });
  const prices = [...PRICES, { kind: film.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
  const { deps, clock, refOf, generation, startMs, read } = await paidAtSubmit([DANCE, TALK, film], prices);
  const lose = async ({ id, index, kind, hash }: Row, lo: number, hi: number) => {
    const claim = intent({ atMs: clock.nowMs, rowHash: hash, kind, generation, index, expected: { lo, hi } });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claim);
    const lost = { state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } } as const;
    await deps.ledger.append({ batch: 'b', id, n: 1 }, lost);
  };
  await read(-1, 20);
  clock.nowMs = startMs;
  // The dance or the film: nobody can tell, and the time in which the dance could be charged at its submit passes.
  await lose(DANCE, DANCE_NANO, DANCE_NANO);
  await lose(film, DANCE_NANO, DANCE_NANO);
  for (let minute = 1; minute <= 10; minute += 1) await read(minute, 19.8);
  await lose(TALK, 0, 0.06 * NANO_PER_CREDIT);
  for (const minute of [11, 12, 13]) await read(minute, 19.75);
  expect(await settleActivities(deps).settle({ row: refOf(TALK), n: 1 })).toMatchObject({ outcome: 'wait' });
});
