// When the service's own URL of an output may be named by the row that it feeds (design 9, How the input travels).
import { expect, test } from 'vitest';
import { ownUrl } from '../../activities/files/input-urls.js';
import { DownloadError } from '../../src/service/download.js';
import { intent } from '../home/support/examples.js';
import { fed } from '../support/chain-rows.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const CLIP = plainRow('clip', { index: 1, kind: 'vendor-d/video', cells: { prompt: 'a bird' } });
const URL = 'https://files.example/hero.png';
const BYTES = 4_000;

/** The hero is rendered; `bytes` are what its URL serves, null for one that does not answer. */
async function rendered({ bytes = BYTES, kind = HERO.kind }: { bytes?: number | null; kind?: typeof HERO.kind } = {}) {
  const { deps, clock, generation } = await accountAtHand([HERO, CLIP]);
  const ref = { batch: 'b', id: 'hero', n: 1 };
  await deps.ledger.claim(
    ref,
    intent({ atMs: clock.nowMs, rowHash: HERO.hash, kind: HERO.kind, generation, index: 0 }),
  );
  await deps.ledger.append(ref, { state: 'done', atMs: clock.nowMs, outputs: [{ url: URL }], facts: {} });
  const asked: string[] = [];
  deps.downloader = {
    fetchInput: async (url: string) => {
      asked.push(url);
      if (bytes === null) throw new DownloadError('expired', 'gone');
      return {
        contentType: 'image/png',
        contentLength: bytes,
        stream: (async function* () {
          yield Buffer.alloc(1);
        })(),
      };
    },
  } as unknown as typeof deps.downloader;
  const file = { file: 'media/hero.png', contentType: 'image/png', bytes: BYTES, sha256: 'aa' };
  const feeders = [{ media: fed('hero', 0), row: { ...HERO, kind }, record: undefined, file }];
  const work = { row: CLIP, feeders, batch: 'b' };
  const at = (minutes: number) => {
    clock.nowMs += minutes * MINUTE_MS;
    return ownUrl(deps, work, 'aa');
  };
  return { at, asked };
}

test('while it lives until the longest render has ended', async () => {
  const { at, asked } = await rendered();
  expect(await at(1)).toBe(URL);
  // An image is named for 24 h (an assumption), and a film of vendor-d may render for one of them.
  expect(await at(23 * 60 - 1)).toBe(URL);
  expect(await at(1)).toBeUndefined();
  expect(asked).toEqual([URL, URL]);
});

test.each([
  ['one that does not answer', { bytes: null }],
  ['another file than the one that was recorded', { bytes: BYTES + 1 }],
  ['a family that shows no such life', { kind: 'vendor-a/image2video' as const }],
])('never %s', async (_, given) => {
  expect(await (await rendered(given)).at(1)).toBeUndefined();
});
