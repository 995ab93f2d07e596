// What a row may cost in all is reserved for it: the follow-up of motion control too (service document 2, Motion control).

import { expect, test } from 'vitest';
import { accountActivities } from '../../activities/account.js';
import { bookVerdict } from '../../src/books/charges.js';
import { creditsOf, knownPrices, upperCredits } from '../../src/books/credits.js';
import { cellsOf } from '../../src/books/prices/measured-prices.js';
import { spentOf } from '../../src/books/spent.js';
import type { PriceRule } from '../../src/domain/price.js';
import { homeKeys } from '../../src/home/home-keys.js';
import { measuredPrices } from '../../src/home/learned.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const DANCE = plainRow('dance', {
  kind: 'vendor-a/motion-control',
  cells: { character_orientation: 'video', input_video_seconds: 4 },
  media: { video: [{ source: 'url', url: 'https://example.com/steps.mp4' }] },
});
const PRICES: PriceRule[] = [{ components: [{ unit: 'input-second', credits: '0.1' }] }];

test('2-D6: the budget reserves the longest driver, and counts it for an attempt that is open', async () => {
  const { deps, clock, generation } = await accountAtHand([DANCE], PRICES);
  expect(await upperCredits(deps.books, 'b', DANCE)).toBe(3_000_000_000);
  const expected = { lo: 400_000_000, hi: 400_000_000 };
  const claim = intent({ atMs: clock.nowMs, rowHash: DANCE.hash, kind: DANCE.kind, generation, index: 0, expected });
  await deps.ledger.claim({ batch: 'b', id: 'dance', n: 1 }, claim);
  expect(await spentOf(deps, 'b', () => knownPrices(deps.books, 'b'))).toEqual({
    endedNano: 0,
    openNano: 3_000_000_000,
    unbounded: 0,
  });
});

test('2-D6: so it does, once, for one that the balance found billed, whose cost is not known yet', async () => {
  const { deps, clock, generation } = await accountAtHand([DANCE], PRICES);
  const ref = { batch: 'b', id: 'dance', n: 1 };
  const expected = { lo: 400_000_000, hi: 400_000_000 };
  const claim = intent({ atMs: clock.nowMs, rowHash: DANCE.hash, kind: DANCE.kind, generation, index: 0, expected });
  await deps.ledger.claim(ref, claim);
  await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: { rule: 'T11', message: 'reset' } });
  await deps.ledger.append(ref, { state: 'verdict', atMs: clock.nowMs, verdict: 'billed', sentence: 'billed' });
  const attempt = await deps.ledger.readAttempt(ref);
  if (attempt === undefined) throw new Error('no attempt');
  await bookVerdict(deps.books, DANCE, ref, { attempt, endedAtMs: clock.nowMs, verdict: 'billed', goneMs: null });
  expect(await spentOf(deps, 'b', () => knownPrices(deps.books, 'b'))).toMatchObject({ endedNano: 3_000_000_000 });
  // The batch's budget keeps what was reserved: up to 2.6 credits may follow.
  expect(await creditsOf(deps.books, DANCE, 'b', [attempt])).toEqual({ creditsBasis: 'unknown' });
});

test('2-D6: an open attempt whose driver clip is a film of the manifest counts with the real length of that film', async () => {
  const film = plainRow('film', { kind: 'vendor-e/video', cells: { prompt: 'steps', duration: 12 } });
  const dance = plainRow('dance', {
    ...{ index: 1, kind: 'vendor-a/motion-control', cells: { character_orientation: 'video' } },
    media: { video: [{ source: 'row', id: 'film', at: 0 }] },
  });
  const { deps, clock, generation } = await accountAtHand([film, dance], PRICES);
  const file = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: 9, sha256: 'f', durationSeconds: 12 };
  await deps.records.writeRecord('b', rowRecord({ id: 'film', kind: film.kind, rowHash: film.hash, files: [file] }));
  const expected = { lo: 1_000_000_000, hi: 1_000_000_000 };
  const claim = intent({ atMs: clock.nowMs, rowHash: dance.hash, kind: dance.kind, generation, index: 1, expected });
  await deps.ledger.claim({ batch: 'b', id: 'dance', n: 1 }, claim);
  const spent = await spentOf(deps, 'b', () => knownPrices(deps.books, 'b'));
  expect(spent).toEqual({ endedNano: 0, openNano: 1_200_000_000, unbounded: 0 });
});

/** Rows `a`, which was charged, and `b`, whose attempt is open, submitted while nobody knew their price. */
async function endedAndOpen() {
  const rows = ['a', 'b'].map((id, index) => plainRow(id, { index }));
  const { deps, clock, generation } = await accountAtHand(rows);
  for (const { id, hash, index } of rows) {
    const claim = intent({ atMs: clock.nowMs, rowHash: hash, kind: 'svc/image', generation, index, expected: null });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claim);
  }
  const times = { claimedAtMs: clock.nowMs, endedAtMs: clock.nowMs + 1 };
  await deps.book.append({ batch: 'b', id: 'a', n: 1, kind: 'svc/image', end: 'charged', ...times, lo: 0, hi: null });
  return { deps, generation };
}

test('attempts whose price was unknown count with the price that is given since, ended and open alike', async () => {
  const { deps } = await endedAndOpen();
  const unknown = await spentOf(deps, 'b', async () => ({ configured: [], measured: [] }));
  expect(unknown).toEqual({ endedNano: 0, openNano: 0, unbounded: 2 });
  const configured: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.02' }] }];
  const given = await spentOf(deps, 'b', async () => ({ configured, measured: [] }));
  expect(given).toEqual({ endedNano: 20_000_000, openNano: 20_000_000, unbounded: 0 });
});

test('a price that another worker has measured a moment ago counts for the budget', async () => {
  const row = plainRow('a');
  const { deps, clock, generation } = await accountAtHand([row]);
  const claim = intent({ atMs: clock.nowMs, rowHash: row.hash, kind: row.kind, generation, index: 0, expected: null });
  await deps.ledger.claim({ batch: 'b', id: 'a', n: 1 }, claim);
  expect(await deps.books.learned.prices()).toEqual([]);
  const seen = { paidNano: 5_000_000, multiplierPpb: 1e9, firstAtMs: 1, lastAtMs: 1, times: 1, exclusive: true };
  await measuredPrices.write(deps.home, { schema: 1, prices: [{ kind: row.kind, cells: cellsOf(row, {}), ...seen }] });
  const spent = await accountActivities(deps).readSpent({ batch: 'b' });
  expect(spent).toEqual({ endedNano: 0, openNano: 5_000_000, unbounded: 0 });
});

test('what a damaged row has cost is not known, and the sum of its batch is had all the same', async () => {
  const { deps, generation } = await endedAndOpen();
  const key = homeKeys('a').part('b', generation, 0);
  await deps.home.store.put(key, Buffer.from('cut off\ncut off\n'));

  const configured: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.02' }] }];
  const spent = await spentOf(deps, 'b', async () => ({ configured, measured: [] }));
  expect(spent).toEqual({ endedNano: 0, openNano: 0, unbounded: 2 });
});
