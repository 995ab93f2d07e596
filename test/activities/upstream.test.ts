import { describe, expect, test } from 'vitest';
import { feedsOf } from '../../activities/files/result-files.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import type { FeedSources } from '../../src/home/feeders.js';
import { type Followers, NO_FOLLOWERS } from '../../src/home/row-orders.js';
import { isStale, upstreamOf } from '../../src/home/upstream.js';
import { editRow, fed, filmOf } from '../support/chain-rows.js';
import { imageRow } from '../support/stack.js';

const DANCE: Partial<Row> = { kind: 'vendor-a/motion-control', cells: { character_orientation: 'video' } };
const ROWS = [
  imageRow('hero'),
  editRow('edit', fed('hero', 0)),
  filmOf('film', fed('edit', 1)),
  imageRow('dance', { ...DANCE, media: { video: [fed('film', 2)] } }),
].map((row, index) => ({ ...row, index }));
const frames = { out: undefined as never, home: undefined as never, batch: 'b' };
const BESIDE = { folder: '/out/b', frames, canUpload: false };
const HELD = { live: 'held', waitsFor: 'edit', endedText: 'waits for row edit' };
const PLACE = { batch: 'b', generation: 'g' };
const FILE = { file: 'media/hero.png', contentType: 'image/png', bytes: 1, sha256: 'aa' };

/** The home after some rows have ended. */
function sourcesOf(ended: Record<string, Partial<RowRecord>>, orders: Partial<Followers> = {}) {
  const recordOf = (id: string) => {
    const row = ROWS.find((one) => one.id === id);
    return row && ended[id] && ({ files: [], rowHash: row.hash, ...ended[id] } as unknown as RowRecord);
  };
  return {
    rows: {
      generation: async () => ({ parts: [{ rows: ROWS.length }] }),
      readRow: async (_batch: string, _generation: string, _part: number, index: number) => ({
        row: ROWS[index],
        raw: {},
      }),
    },
    records: { readRecord: async (_batch: string, id: string) => recordOf(id) },
    followers: { ...NO_FOLLOWERS, ...orders },
  } as unknown as FeedSources & { followers: Followers };
}

const [hero, edit, film, dance] = ROWS;
if (!hero || !edit || !film || !dance) throw new Error('four rows');

describe('why a row that others feed has not started', () => {
  test('it waits while one of them may still be done, and runs once it is', async () => {
    expect(await upstreamOf(sourcesOf({}), PLACE, film)).toEqual(HELD);
    const done = { hero: { status: 'done' as const, files: [FILE] } };
    expect(await upstreamOf(sourcesOf(done), PLACE, film)).toEqual(HELD);
    expect(await upstreamOf(sourcesOf(done), PLACE, edit)).toBeUndefined();
  });

  test.each([
    ['failed', 'render_failed', 'upstream_failed'],
    ['cancelled', 'cancelled_by_user', 'upstream_failed'],
    ['not_started', 'input_changed', 'upstream_failed'],
    ['review', 'answer_lost_undecided', 'upstream_review'],
    ['lost_paid', 'answer_lost_billed', 'upstream_review'],
  ] as const)(
    'a feeder that ended %s (%s): %s, through the whole chain, naming that row',
    async (status, reasonCode, endedFor) => {
      const sources = sourcesOf({ hero: { status, reasonCode } });
      const end = {
        id: 'hero',
        ended: 'not_started',
        endedFor,
        endedText: `row hero, which feeds it: ${status}, ${reasonCode}`,
      };
      expect(await upstreamOf(sources, PLACE, edit)).toEqual(end);
      expect(await upstreamOf(sources, PLACE, film)).toEqual(end);
    },
  );

  test('what feeds it came late: it ends for that, and so does all behind it, but for rows that a person had follow', async () => {
    const done = { hero: { status: 'done' as const, files: [FILE] } };
    const late = { late: new Set(['hero']) };
    const text = 'row hero, which feeds it, brought its output after this one had ended';
    const end = { id: 'hero', ended: 'not_started', endedFor: 'upstream_late', endedText: text };
    expect(await upstreamOf(sourcesOf(done, late), PLACE, edit)).toEqual(end);
    expect(await upstreamOf(sourcesOf(done, late), PLACE, film)).toEqual(end);
    const pending = { hero: { status: 'review' as const, reasonCode: 'output_pending' as const } };
    expect(await upstreamOf(sourcesOf(pending, late), PLACE, edit)).toMatchObject({ endedFor: 'upstream_review' });
    const follows = { ...late, starts: new Set(['edit']) };
    expect(await upstreamOf(sourcesOf(done, follows), PLACE, edit)).toBeUndefined();
    expect(await upstreamOf(sourcesOf(done, follows), PLACE, film)).toMatchObject({ live: 'held' });
  });

  test('an order left it alone: it is not open any more', async () => {
    const done = { hero: { status: 'done' as const, files: [FILE] } };
    const sources = sourcesOf(done, { stays: new Set(['edit']) });
    expect(await upstreamOf(sources, PLACE, edit)).toMatchObject({ ended: 'not_started', endedFor: 'upstream_late' });
    expect(await upstreamOf(sources, PLACE, film)).toMatchObject({ ended: 'not_started' });
  });

  test('what was rendered for other content of the feeder feeds nothing', async () => {
    const sources = sourcesOf({ hero: { status: 'done', files: [FILE], rowHash: 'earlier' } });
    expect(await upstreamOf(sources, PLACE, edit)).toMatchObject({ endedFor: 'upstream_review' });
  });
});

describe('stale_input', () => {
  const made = (sha256: string, inputs?: RowRecord['inputs'], more: Partial<RowRecord> = {}): Partial<RowRecord> => ({
    status: 'done',
    files: [{ ...FILE, sha256 }],
    ...(inputs && { inputs }),
    ...more,
  });
  const ofHero = (sha256: string) => [{ row: 'hero', sha256 }];
  const ofEdit = [{ row: 'edit', sha256: 'ee' }];
  const stale = (ended: Record<string, Partial<RowRecord>>) =>
    Promise.all(
      [edit, film].map((row) => isStale(sourcesOf(ended), PLACE, row, ended[row.id] as Pick<RowRecord, 'inputs'>)),
    );

  test('a file that was made with an earlier one passes it on along the chain, until it is made anew itself', async () => {
    const ended = { hero: made('new'), edit: made('ee', ofHero('old')), film: made('ff', ofEdit) };
    expect(await stale(ended)).toEqual([true, true]);
    expect(await stale({ ...ended, edit: made('ee2', ofHero('new')) })).toEqual([false, true]);
    expect(await stale({ ...ended, edit: made('ee', ofHero('new')) })).toEqual([false, false]);
  });

  test('one that stays by an order, or whose inputs nobody noted, passes nothing on', async () => {
    const kept = made('ee', ofHero('old'), { keptFor: edit.hash });
    expect((await stale({ hero: made('new'), edit: kept, film: made('ff', ofEdit) }))[1]).toBe(false);
    expect((await stale({ hero: made('new'), edit: made('ee'), film: made('ff', ofEdit) }))[1]).toBe(false);
  });
});

describe('what feeds a row of failed.csv', () => {
  test('the file that is there, or a row that is run again as well', async () => {
    const sources = sourcesOf({ hero: { status: 'done', files: [FILE] }, edit: { status: 'failed' } });
    expect(await feedsOf(sources, PLACE, edit, BESIDE)).toEqual({ feeds: { hero: '/out/b/media/hero.png' } });
    expect(await feedsOf(sources, PLACE, film, BESIDE)).toEqual({ feeds: { edit: null } });
  });

  test('the length of a film that feeds motion control; where nothing can be uploaded, its path is no cell of a URL column', async () => {
    const file = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: 1, sha256: 'bb', durationSeconds: 6.5 };
    const sources = sourcesOf({ film: { status: 'done', files: [file] } });
    expect(await feedsOf(sources, PLACE, dance, { ...BESIDE, canUpload: true })).toEqual({
      feeds: { film: '/out/b/media/film.mp4' },
      fedCells: { character_orientation: 'video', input_video_seconds: 7 },
    });
    expect(await feedsOf(sources, PLACE, dance, BESIDE)).toMatchObject({ isOrphan: true });
    const again = sourcesOf({ film: { status: 'failed' } });
    expect(await feedsOf(again, PLACE, dance, BESIDE)).toEqual({ feeds: { film: null } });
  });

  test('a row that needs a person is not run again: neither is what it feeds, nor what that feeds', async () => {
    const sources = sourcesOf({ hero: { status: 'review' } });
    expect(await feedsOf(sources, PLACE, edit, BESIDE)).toMatchObject({ isOrphan: true });
    expect(await feedsOf(sources, PLACE, film, BESIDE)).toMatchObject({ isOrphan: true });
  });
});
