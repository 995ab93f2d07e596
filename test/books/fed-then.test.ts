// What an attempt cost is told by what fed the row then: what feeds it may have been rendered again since (design 9).

import { expect, test } from 'vitest';
import { creditsOf } from '../../src/books/credits.js';
import type { Attempt, AttemptState } from '../../src/domain/attempt.js';
import type { OutputFile, PastRender } from '../../src/domain/outcome.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const FILM = plainRow('film', { kind: 'vendor-e/video', cells: { prompt: 'steps', duration: 6 } });
const MOVE = plainRow('move', {
  ...{ index: 1, kind: 'vendor-a/motion-control', cells: { character_orientation: 'image' } },
  media: {
    image: [{ source: 'url', url: 'https://example.com/a.png' }],
    video: [{ source: 'row', id: 'film', at: 0 }],
  },
});
const CLIP = plainRow('clip', {
  ...{ index: 1, kind: 'vendor-e/video', cells: { prompt: 'on', duration: 4 } },
  media: { reference_videos: [{ source: 'row', id: 'film', at: 0 }] },
});
const PRICES: PriceRule[] = [
  { kind: 'vendor-a/motion-control', components: [{ unit: 'input-second', credits: '0.1' }] },
  { kind: 'vendor-e/video', components: [{ unit: 'reference-second', credits: '0.1' }] },
];

const fileOf = (sha256: string, durationSeconds: number): OutputFile => ({
  ...{ file: `media/${sha256}.mp4`, contentType: 'video/mp4', bytes: 9, sha256, durationSeconds },
});
const FIRST: PastRender = { files: [fileOf('first', 6)], warnings: [], finishedAtMs: 1, rowHash: FILM.hash };

const rendered = (atMs: number): AttemptState => ({ state: 'rendered', atMs, outputs: [], facts: {} });

/** What `row` cost that was rendered with the first film, which is rendered again for other values by now. */
async function costOf(row: Row, { pastRenders = [FIRST] }: { pastRenders?: PastRender[] } = {}) {
  const { deps, clock, generation } = await accountAtHand([FILM, row], PRICES);
  await deps.books.discounts.keep([]);
  const now = { files: [fileOf('second', 3)], rowHash: 'of other values', pastRenders };
  await deps.records.writeRecord('b', rowRecord({ id: 'film', kind: FILM.kind, ...now }));
  const claim = intent({
    ...{ atMs: clock.nowMs, rowHash: row.hash, kind: row.kind, generation, index: 1 },
    ...{ inputs: [{ row: 'film', sha256: 'first' }], expected: { lo: 600_000_000, hi: 600_000_000 } },
  });
  const attempt: Attempt = { n: 1, states: [claim, rendered(clock.nowMs)], torn: false };
  return creditsOf(deps.books, { ...row, hash: 'since its feeder was changed' }, 'b', [attempt]);
}

test.each([
  ['a driver clip', MOVE],
  ['a film that is priced by its length', CLIP],
])('%s counts with the length that it had then', async (_, row) => {
  expect(await costOf(row)).toEqual({ creditsNano: 600_000_000, creditsBasis: 'price-book' });
});

test('where nothing tells of that file any more, what it was priced at before it was sent holds', async () => {
  expect(await costOf(CLIP, { pastRenders: [] })).toEqual({ creditsNano: 600_000_000, creditsBasis: 'price-book' });
});

test('rendered again for the same values: each attempt counts with its own film', async () => {
  const { deps, clock, generation } = await accountAtHand([FILM, CLIP], PRICES);
  await deps.books.discounts.keep([]);
  const now = { files: [fileOf('second', 3)], rowHash: FILM.hash, pastRenders: [FIRST] };
  await deps.records.writeRecord('b', rowRecord({ id: 'film', kind: FILM.kind, ...now }));
  const attempts = ['first', 'second'].map((sha256, i): Attempt => {
    const claim = { rowHash: CLIP.hash, kind: CLIP.kind, generation, index: 1, inputs: [{ row: 'film', sha256 }] };
    return { n: i + 1, states: [intent({ atMs: clock.nowMs, ...claim }), rendered(clock.nowMs)], torn: false };
  });
  expect(await creditsOf(deps.books, CLIP, 'b', attempts)).toMatchObject({ creditsNano: 900_000_000 });
});
