// When the service's own URL of an output may be named by the row that it feeds (design 9, How the input travels).
import { describe, expect, test } from 'vitest';
import { InputAway, InputMissing, inputUrl } from '../../activities/files/input-urls.js';
import { buildRequest, fetchInputs } from '../../activities/files/media.js';
import { ownUrl } from '../../activities/files/own-urls.js';
import type { Attempt } from '../../src/domain/attempt.js';
import { retouchedText } from '../../src/domain/outcome.js';
import { ownUrlOf } from '../../src/home/own-url.js';
import { adapterFor } from '../../src/kinds/index.js';
import { DownloadError } from '../../src/service/download.js';
import type { Store } from '../../src/store/port.js';
import { intent } from '../home/support/examples.js';
import { fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const CLIP = plainRow('clip', { index: 1, kind: 'vendor-d/video', cells: { prompt: 'a bird' } });
const URL = 'https://files.example/hero.png';
const BYTES = 4_000;

interface Rendered {
  /** How many looks fail before it is served. */
  failures?: number;
  /** What the URL serves; null for one that does not answer. */
  bytes?: number | null;
  kind?: typeof HERO.kind;
  /** Where the hero was rendered; another batch than `b` for one that was taken over. */
  batch?: string;
  warnings?: string[];
}

/** The hero is rendered. */
async function rendered({ bytes = BYTES, kind = HERO.kind, batch = 'b', failures = 0, warnings = [] }: Rendered = {}) {
  const { deps, clock, generation } = await accountAtHand([HERO, CLIP]);
  // So that looking again takes no time.
  deps.settings.timeScale = failures > 0 || bytes === null ? 1_000 : 1;
  const ref = { batch, id: 'hero', n: 1 };
  await deps.ledger.claim(
    ref,
    intent({ atMs: clock.nowMs, rowHash: HERO.hash, kind: HERO.kind, generation, index: 0 }),
  );
  await deps.ledger.append(ref, { state: 'done', atMs: clock.nowMs, outputs: [{ url: URL }], facts: {} });
  const asked: string[] = [];
  deps.downloader = {
    fetchInput: async (url: string) => {
      asked.push(url);
      if (asked.length <= failures) throw new DownloadError('http', 'files.example answered 500', 500);
      if (bytes === null) throw new DownloadError('expired', 'files.example answered 410', 410);
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
  const record = rowRecord({ id: 'hero', warnings, ...(batch === 'b' ? {} : { reusedFrom: `${batch}/hero` }) });
  const feeders = [{ media: fed('hero', 0), row: { ...HERO, kind }, record, file }];
  const work = { row: CLIP, feeders, batch: 'b' };
  const at = async (minutes: number) => {
    clock.nowMs += (minutes * MINUTE_MS) / deps.settings.timeScale;
    return (await ownUrl(deps, work, 'aa')).url;
  };
  return { at, asked, deps, work };
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
  ['a file that was changed and taken as it lies', { warnings: [retouchedText('media/hero.png')] }],
  ['a family that shows no such life', { kind: 'vendor-a/image2video' as const }],
])('never %s', async (_, given) => {
  expect(await (await rendered(given)).at(1)).toBeUndefined();
});

test('after a look that failed for a moment or said that it is gone, looked at three times at most', async () => {
  expect(await (await rendered({ failures: 2 })).at(1)).toBe(URL);
  const away = await rendered({ failures: 9 });
  expect(await away.at(1)).toBeUndefined();
  expect(away.asked).toHaveLength(3);
  const gone = await rendered({ bytes: null });
  expect(await gone.at(1)).toBeUndefined();
  expect(gone.asked).toHaveLength(3);
});

test('of an earlier render that was taken over', async () => {
  expect(await (await rendered({ batch: 'before' })).at(1)).toBe(URL);
});

describe('an input in a bucket', () => {
  const SIGNED = 'https://bucket.example/hero.png?signature';
  const media = { source: 'blob', sha256: 'aa', mediaType: 'image/png', bytes: BYTES } as const;

  /** `credentialsMs` is how long the credentials live. */
  async function named(given: Rendered, { isS3Reachable = true, credentialsMs = Number.POSITIVE_INFINITY }) {
    const { deps, work } = await rendered(given);
    const store = {
      location: 's3://bucket/out',
      size: async () => BYTES,
      url: async (_key: string, seconds: number) => {
        return { url: SIGNED, endsAtMs: Date.now() + Math.min(seconds * 1_000, credentialsMs) };
      },
    } as unknown as Store;
    Object.assign(deps, { isS3Reachable, openStore: () => store });
    deps.settings.home = '/home';
    const options = { schema: 1, out: store.location } as never;
    return inputUrl(deps, { ...work, adapter: adapterFor(CLIP.kind), options }, media);
  }

  test('is signed where the signature lives long enough', async () => {
    expect(await named({}, {})).toBe(SIGNED);
  });

  test('is named by its own URL where the service cannot read the bucket, and never signed there', async () => {
    expect(await named({}, { isS3Reachable: false })).toBe(URL);
    await expect(named({ bytes: null }, { isS3Reachable: false })).rejects.toThrow(
      /URL of what row hero rendered.*there is no S3 store/,
    );
  });

  test('is named by its own URL where the credentials end before the longest render, as long as that can be had', async () => {
    expect(await named({}, { credentialsMs: 30 * MINUTE_MS })).toBe(URL);
    expect(await named({ bytes: null }, { credentialsMs: 30 * MINUTE_MS })).toBe(SIGNED);
  });
});

describe('where there is no bucket', () => {
  const media = { source: 'blob', sha256: 'aa', mediaType: 'image/png', bytes: BYTES } as const;

  async function fedClip(given: Rendered) {
    const { deps, work } = await rendered(given);
    deps.settings.home = '/home';
    Object.assign(deps, { openStore: () => ({ location: '/out' }) });
    const row = { ...CLIP, media: { first_frame: [media] } };
    return {
      deps,
      work: { ...work, row, adapter: adapterFor(CLIP.kind), options: { schema: 1, out: '/out' } } as never,
    };
  }

  test('a URL that lives and does not answer gives the slot back, and is looked at again without one', async () => {
    const { deps, work } = await fedClip({ bytes: null });
    expect(await buildRequest(deps, work, 'url', undefined)).toBe('needs_inputs');
    const looked = fetchInputs(deps, work);
    await expect(looked).rejects.toThrow(InputAway);
    await expect(looked).rejects.toThrow(/what row hero rendered.*\(HTTP 410\).*there is no S3 store/);
    const passing = await fedClip({ failures: 4 });
    await expect(fetchInputs(passing.deps, passing.work)).rejects.toThrow(InputAway);
    await fetchInputs(passing.deps, passing.work);
  });

  test.each([
    ['a URL that lives too short', { kind: 'vendor-a/image2video' as const }, /what row hero rendered/],
    ['a changed file', { warnings: [retouchedText('media/hero.png')] }, /the file of row hero was changed/],
  ])('a row that can name its input nowhere says why it was not sent: %s', async (_, given, text) => {
    const { deps, work } = await fedClip(given);
    const reason = { reason: 'input_missing', text: expect.stringMatching(text) };
    expect(await buildRequest(deps, work, 'url', undefined)).toEqual(reason);
    await expect(fetchInputs(deps, work)).rejects.toThrow(InputMissing);
  });
});

describe('of several renders, the URL is that of the one whose file the row has', () => {
  const claimed = (n: number) => intent({ atMs: n, kind: HERO.kind });
  const rendered = (n: number): Attempt => ({
    ...{ n, torn: false },
    states: [
      claimed(n),
      { state: 'rendered', atMs: n, outputs: [{ url: `https://files.example/${n}.png` }], facts: {} },
    ],
  });
  const lost: Attempt = { n: 3, torn: false, states: [claimed(3)] };
  const read = async () => [rendered(1), rendered(2), lost];
  const urlOf = async (submittedAtMs: number | undefined, reusedFrom?: string) =>
    (await ownUrlOf({ read }, { batch: 'b', id: 'hero', reusedFrom, submittedAtMs }))?.url;

  test('with its old values back it has the first, without a time the newest', async () => {
    expect(await urlOf(1)).toBe('https://files.example/1.png');
    expect(await urlOf(undefined)).toBe('https://files.example/2.png');
  });

  test('one that kept its file while another render needed a person has the time of that one, which has no URL', async () => {
    expect(await urlOf(3)).toBe('https://files.example/2.png');
    // Of another row's renders one was taken over, and no other is that file.
    expect(await urlOf(3, 'b/hero')).toBeUndefined();
  });
});
