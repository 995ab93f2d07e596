import { describe, expect, test } from 'vitest';
import { feedsOf } from '../../activities/files/result-files.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { FeedSources } from '../../src/home/feeders.js';
import { upstreamOf } from '../../src/home/upstream.js';
import { editRow, fed, filmOf } from '../support/chain-rows.js';
import { imageRow } from '../support/stack.js';

const ROWS = [imageRow('hero'), editRow('edit', fed('hero', 0)), filmOf('film', fed('edit', 1))].map((row, index) => ({
  ...row,
  index,
}));
const BESIDE = { folder: '/out/b', frames: { out: undefined as never, home: undefined as never, batch: 'b' } };
const HELD = { live: 'held', waitsFor: 'edit', endedText: 'waits for row edit' };
const PLACE = { batch: 'b', generation: 'g' };
const FILE = { file: 'media/hero.png', contentType: 'image/png', bytes: 1, sha256: 'aa' };

/** The home after some rows have ended. */
function sourcesOf(ended: Record<string, Partial<RowRecord>>): FeedSources {
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
  } as unknown as FeedSources;
}

const [hero, edit, film] = ROWS;
if (!hero || !edit || !film) throw new Error('three rows');

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

  test('what was rendered for other content of the feeder feeds nothing', async () => {
    const sources = sourcesOf({ hero: { status: 'done', files: [FILE], rowHash: 'earlier' } });
    expect(await upstreamOf(sources, PLACE, edit)).toMatchObject({ endedFor: 'upstream_review' });
  });
});

describe('what feeds a row of failed.csv', () => {
  test('the file that is there, or a row that is run again as well', async () => {
    const sources = sourcesOf({ hero: { status: 'done', files: [FILE] }, edit: { status: 'failed' } });
    expect(await feedsOf(sources, PLACE, edit, BESIDE)).toEqual({ feeds: { hero: '/out/b/media/hero.png' } });
    expect(await feedsOf(sources, PLACE, film, BESIDE)).toEqual({ feeds: { edit: null } });
  });

  test('a row that needs a person is not run again: neither is what it feeds, nor what that feeds', async () => {
    const sources = sourcesOf({ hero: { status: 'review' } });
    expect(await feedsOf(sources, PLACE, edit, BESIDE)).toMatchObject({ isOrphan: true });
    expect(await feedsOf(sources, PLACE, film, BESIDE)).toMatchObject({ isOrphan: true });
  });
});
