import { describe, expect, test } from 'vitest';
import type { OutputFile } from '../../src/domain/outcome.js';
import type { FedMedia, Row } from '../../src/domain/row.js';
import { type Feeder, fedInputs, fedRow, feedersOf, isReady } from '../../src/home/feeders.js';
import { NO_FOLLOWERS } from '../../src/home/row-orders.js';
import { upstreamOf } from '../../src/home/upstream.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { rowRecord } from '../support/row-record.js';

const media: FedMedia = { source: 'row', id: 'film', at: 0 };
const dance: Row = {
  ...{ index: 1, line: 3, id: 'dance', kind: 'vendor-a/motion-control', stem: 'dance', hash: 'hash-dance' },
  ...{ cells: { character_orientation: 'video' }, media: { video: [media] } },
};

function film(durationSeconds: number): Feeder {
  const file: OutputFile = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: 9, sha256: 'f', durationSeconds };
  return { media, row: undefined, record: undefined, file };
}

test.each([
  [0.4, 1],
  [5.04, 5],
  [5.2, 6],
  [15, 10],
])('2-D6: of a film of %d s that feeds motion control %d s are declared: 1 to 10', (length, declared) => {
  expect(fedRow(dance, [film(length)]).cells.input_video_seconds).toBe(declared);
});

test('a length that the manifest declares stays', () => {
  const declared = { ...dance, cells: { ...dance.cells, input_video_seconds: 3 } };
  expect(fedRow(declared, [film(5)]).cells.input_video_seconds).toBe(3);
});

describe('a row that was skipped for a file that is there', () => {
  const hero = plainRow('hero');
  const edit = plainRow('edit', { index: 1, media: { image: [{ source: 'row', id: 'hero', at: 0 }] } });
  const film = plainRow('film', { index: 2, media: { image: [{ source: 'row', id: 'edit', at: 1 }] } });
  const file: OutputFile = { file: 'media/edit.png', contentType: 'image/png', bytes: 9, sha256: 'e' };

  async function skippedEdit(files: OutputFile[]) {
    const { deps, generation } = await accountAtHand([hero, edit, film]);
    await deps.records.writeRecord('b', rowRecord({ id: 'hero', status: 'failed', rowHash: hero.hash }));
    const skipped = { status: 'skipped', attempts: 0, rowHash: edit.hash, files } as const;
    await deps.records.writeRecord('b', rowRecord({ id: 'edit', ...skipped }));
    return { deps, place: { batch: 'b', generation } };
  }

  test('feeds that file, whatever came of the rows that would have fed it', async () => {
    const { deps, place } = await skippedEdit([file]);
    const feeders = await feedersOf(deps, place, film);
    expect(isReady(feeders)).toBe(true);
    expect(fedInputs({ feeders })).toEqual({ inputs: [{ row: 'edit', sha256: 'e' }] });
    expect(await upstreamOf({ ...deps, followers: NO_FOLLOWERS }, place, film)).toBeUndefined();
  });

  test('feeds nothing where no file is known', async () => {
    const { deps, place } = await skippedEdit([]);
    expect(await upstreamOf({ ...deps, followers: NO_FOLLOWERS }, place, film)).toMatchObject({
      ended: 'not_started',
      endedFor: 'upstream_failed',
    });
  });

  test('keeps no other feeder of a row from being waited for', async () => {
    const both = plainRow('film', {
      index: 2,
      media: { image: [...Object.values(film.media), ...Object.values(edit.media)].flat() },
    });
    const { deps, generation } = await accountAtHand([hero, edit, both]);
    const files = [file];
    await deps.records.writeRecord(
      'b',
      rowRecord({ id: 'edit', status: 'skipped', attempts: 0, rowHash: edit.hash, files }),
    );
    expect(await upstreamOf({ ...deps, followers: NO_FOLLOWERS }, { batch: 'b', generation }, both)).toEqual({
      live: 'held',
      waitsFor: 'hero',
      endedText: 'waits for row hero',
    });
  });
});

test('why a row waits is found where 40 generations of two rows feed each other: each is looked at once', async () => {
  const start = ['a0', 'b0'].map((id, index) => plainRow(id, { index }));
  const ladder = Array.from({ length: 80 }, (_, at) => {
    const above = at - (at % 2);
    const image: FedMedia[] = [0, 1].map((i) => ({ source: 'row', id: `${'ab'[i]}${above / 2}`, at: above + i }));
    return plainRow(`${'ab'[at % 2]}${above / 2 + 1}`, { index: at + 2, media: { image } });
  });
  const rows = [...start, ...ladder];
  const { deps, generation } = await accountAtHand(rows);
  const last = rows.at(-1) ?? plainRow('none');
  expect(await upstreamOf({ ...deps, followers: NO_FOLLOWERS }, { batch: 'b', generation }, last)).toMatchObject({
    live: 'held',
    waitsFor: 'a39',
  });
});

describe('a reference to a row that shares the render of another', () => {
  const hero = plainRow('hero');
  const twin = plainRow('twin', { index: 1, hash: hero.hash, shares: 0 });
  const edit = plainRow('edit', { index: 2, media: { image: [{ source: 'row', id: 'twin', at: 0 }] } });
  const file = (sha256: string) => [{ file: `media/${sha256}.png`, contentType: 'image/png', bytes: 9, sha256 }];

  test.each([
    ['that one is done: its render', { status: 'done', files: file('of hero') }, { files: file('copy') }, 'of hero'],
    ['that one was skipped: its own, not the file that is there', { status: 'skipped' }, { files: file('own') }, 'own'],
    ['that one was skipped, and it was not rendered yet: nothing', { status: 'skipped' }, undefined, undefined],
    [
      'it was skipped itself: the file that is there',
      { status: 'done', files: file('of hero') },
      { status: 'skipped', attempts: 0, files: file('own') },
      'own',
    ],
    ['neither came', { status: 'lost_paid' }, { status: 'failed' }, undefined],
  ] as const)('%s', async (_, first, own, fed) => {
    const { deps, generation } = await accountAtHand([hero, twin, edit]);
    const skipped = { attempts: 0, files: file('not ours') };
    const of = { rowHash: hero.hash, files: [] };
    await deps.records.writeRecord(
      'b',
      rowRecord({ ...of, ...(first.status === 'skipped' ? skipped : {}), ...first, id: 'hero' } as never),
    );
    if (own) await deps.records.writeRecord('b', rowRecord({ ...of, ...own, id: 'twin' } as never));
    const [feeder] = await feedersOf(deps, { batch: 'b', generation }, edit);
    expect(feeder?.file?.sha256).toBe(fed);
  });
});
