// What each kind is billed for, against the documents (documents 1 and 2): exact only where nothing that bills is hidden.

import { describe, expect, it, test } from 'vitest';
import { configuredCost } from '../../src/books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../src/books/prices/row-price.js';
import type { PriceRule, PriceUnit } from '../../src/domain/price.js';
import type { Media, Row } from '../../src/domain/row.js';

const LIST = 1_000_000_000;
const CREDIT = 1_000_000_000;

function row(kind: Row['kind'], cells: Row['cells'] = {}, media: Row['media'] = {}): Row {
  return { index: 0, line: 2, id: 'a', kind, stem: 'a', cells, media, hash: 'h' };
}

const url: Media = { source: 'url', url: 'https://example.com/a' };
const file = (seconds: number): Media => ({ source: 'blob', sha256: 'e', mediaType: 'video/mp4', bytes: 9, seconds });

/** What a row costs at one credit per unit, in units. */
function units(of: Row, unit: PriceUnit, facts = {}, more: Partial<PriceRule['components'][number]> = {}) {
  const rule: PriceRule = { components: [{ unit, credits: '1', ...more }] };
  const cost = configuredCost(of, [rule], LIST, facts);
  return cost && [cost.lo / CREDIT, cost.hi === null ? null : cost.hi / CREDIT];
}

describe('seconds of output', () => {
  it.each(['svc/clip', 'svc/animation'] as const)('%s: a clip may differ by a fraction of a second', (kind) => {
    expect(units(row(kind), 'second')).toEqual([5, 7]);
    expect(units(row(kind, { duration: 2.53 }), 'second')).toEqual([1.53, 3.53]);
    expect(units(row(kind, { duration: 1 }), 'second')).toEqual([0, 2]);
    // 1-D5: 2.53 s asked for, 61 frames came.
    expect(units(row(kind, { duration: 2.53 }), 'second', { billedSeconds: 61 / 24 })).toEqual([
      2.541666667, 2.541666667,
    ]);
  });

  it.each([
    ['vendor-a/text2video', {}, 5],
    ['vendor-a/image2video', { duration: 15 }, 15],
    ['vendor-a/omni-video', { shots: [{ duration: 4 }, { duration: '6' }], shot_type: 'customize', duration: 3 }, 10],
    ['vendor-c/video', { duration: 30 }, 30],
    ['vendor-g/video', {}, 5],
    ['vendor-e/video', { duration: 4 }, 4],
    ['vendor-f/video', {}, 8],
  ] as const)('%s: exactly what is asked for', (kind, cells, seconds) => {
    expect(units(row(kind, structuredClone(cells) as never), 'second')).toEqual([seconds, seconds]);
  });

  it('of a storyboard whose shots do not say how long they are: up to its total', () => {
    expect(units(row('vendor-a/text2video', { shot_type: 'intelligence' }), 'second')).toEqual([0, 15]);
    expect(units(row('vendor-a/omni-video', { shot_type: 'intelligence' }), 'second')).toEqual([0, 30]);
  });

  it('of an avatar: as long as its speech, which nobody knows before a script was spoken', () => {
    const script = row('vendor-b/avatar', { script: 'hello', voice_id: 'v' });
    expect(units(script, 'second')).toEqual([0, null]);
    expect(units(script, 'second', {}, { upTo: 60 })).toEqual([0, 60]);
    expect(units(script, 'second', { billedSeconds: 12.5 }, { upTo: 10 })).toEqual([12.5, 12.5]);
    const spoken = (audio: Media) => row('vendor-b/avatar', { avatar_id: 'x' }, { audio: [audio] });
    expect(units(spoken(file(12.3)), 'second')).toEqual([11.3, 13.3]);
    expect(units(spoken(url), 'second')).toEqual([0, null]);
  });
});

describe('what goes in', () => {
  const reference = (...reference_videos: Media[]) => row('vendor-e/video', { duration: 4 }, { reference_videos });
  it('vendor-e: seconds of reference video, 15 in all, of which a URL does not tell how many', () => {
    expect(units(row('vendor-e/video', { duration: 4 }), 'reference-second')).toEqual([0, 0]);
    expect(units(reference(url), 'reference-second')).toEqual([0, 15]);
    expect(units(reference(file(5), file(2)), 'reference-second')).toEqual([7, 7]);
    // How a part of a second is billed is not shown.
    expect(units(reference(file(5.04)), 'reference-second')).toEqual([5, 6]);
    expect(units(reference(file(5), url), 'reference-second')).toEqual([5, 15]);
  });

  it('vendor-e: the first five reference images are included, reference audio is free', () => {
    const media = { reference_images: Array(7).fill(url), reference_audio: [url] };
    expect(units(row('vendor-e/video', { duration: 4 }, media), 'reference-image', {}, { above: 5 })).toEqual([2, 2]);
  });

  it('omni-video: no total is shown for reference videos', () => {
    const omni = (...videos: Media[]) => row('vendor-a/omni-video', {}, { videos });
    expect(units(omni(url), 'reference-second')).toEqual([0, null]);
    expect(units(omni(file(3)), 'reference-second')).toEqual([3, 3]);
    expect(units(omni(), 'reference-second')).toEqual([0, 0]);
  });

  it.each([
    ['image', url, 4, 10],
    ['video', url, 4, 30],
    ['image', file(4), 4, 4],
    ['video', file(12.2), 10, 13],
  ] as const)('2-D6: motion control, %s, %o: %d declared, up to %d in all', (orientation, driver, declared, most) => {
    const cells = { character_orientation: orientation, input_video_seconds: declared };
    const dance = row('vendor-a/motion-control', cells, { video: [driver] });
    const rules: PriceRule[] = [{ components: [{ unit: 'input-second', credits: '0.1' }] }];
    const submit = rowPrice(dance, { configured: rules, measured: [] }, LIST);
    expect(submit).toEqual({ lo: declared * 1e8, hi: declared * 1e8 });
    expect(withFollowUp(dance, submit)).toEqual({ lo: declared * 1e8, hi: most * 1e8 });
  });

  it.each([
    ['image', 10],
    ['video', 30],
  ] as const)(
    '2-D6: motion control, %s, fed by a film of the manifest: 1 to 10 declared, up to %d in all',
    (orientation, most) => {
      const film: Media = { source: 'row', id: 'film', at: 0 };
      const dance = row('vendor-a/motion-control', { character_orientation: orientation }, { video: [film] });
      const rules: PriceRule[] = [{ components: [{ unit: 'input-second', credits: '0.1' }] }];
      const submit = rowPrice(dance, { configured: rules, measured: [] }, LIST);
      expect(submit).toEqual({ lo: 1e8, hi: 10e8 });
      expect(withFollowUp(dance, submit)).toEqual({ lo: 1e8, hi: most * 1e8 });
    },
  );
});

test('vendor-d: tokens are known at completion; the audio flag changes the rate', () => {
  const rules: PriceRule[] = [
    { kind: 'vendor-d/video', audio: false, components: [{ unit: 'million-tokens', credits: '2' }] },
    { kind: 'vendor-d/video', components: [{ unit: 'million-tokens', credits: '4' }] },
  ];
  expect(configuredCost(row('vendor-d/video'), rules)).toEqual({ lo: 0, hi: null });
  const cost = (cells: Row['cells']) =>
    configuredCost(row('vendor-d/video', cells), rules, LIST, { billedTokens: 5e5 });
  expect([cost({}), cost({ audio: false })]).toEqual([
    { lo: 2 * CREDIT, hi: 2 * CREDIT },
    { lo: CREDIT, hi: CREDIT },
  ]);
});

test('images: megapixels of the output; delta per image by steps, of 1024x1024 where no size is given', () => {
  expect(units(row('svc/edit', { width: 1000, height: 500 }), 'megapixel')).toEqual([0.5, 0.5]);
  expect(units(row('svc/image', { model: 'svc-delta-4' }), 'megapixel')).toEqual([1.048576, 1.048576]);
});

test('in 4k audio is always included and the flag is ignored', () => {
  const rules: PriceRule[] = [{ mode: '4k', sound: 'on', components: [{ unit: 'request', credits: '1' }] }];
  for (const sound of ['on', 'off'])
    expect(configuredCost(row('vendor-a/text2video', { mode: '4k', sound }), rules)).not.toBeNull();
});

test('5-X10: a rule without components is no price of 0', () => {
  expect(configuredCost(row('svc/image'), [{ components: [] }])).toBeNull();
});

test('5-X1: an amount beyond all money is unknown', () => {
  const of = (billedSeconds: number) =>
    configuredCost(row('vendor-b/avatar'), [{ components: [{ unit: 'second', credits: '1' }] }], LIST, {
      billedSeconds,
    });
  expect(of(1.8e12)).toBeNull();
  expect(of(60)).toEqual({ lo: 60 * CREDIT, hi: 60 * CREDIT });
});
