// A measured price holds only for rows of which everything that bills is known and equal (design 3, "Prices").

import { describe, expect, it } from 'vitest';
import { addMeasurement, cellsOf, measuredCost } from '../../src/books/prices/measured-prices.js';
import { discountedRange } from '../../src/books/prices/price-book.js';
import { contradictedPrice, rowPrice } from '../../src/books/prices/row-price.js';
import type { MeasuredPrice, PriceRule } from '../../src/domain/price.js';
import type { Media, Row } from '../../src/domain/row.js';

const LIST = 1_000_000_000;

function row(kind: Row['kind'], cells: Row['cells'] = {}, media: Row['media'] = {}, extra?: Row['extra']): Row {
  const base = { index: 0, line: 2, id: 'a', kind, stem: 'a', cells, media, hash: 'h' };
  return extra === undefined ? base : { ...base, extra };
}

const url: Media = { source: 'url', url: 'https://example.com/a' };
const file = (seconds: number): Media => ({ source: 'blob', sha256: 'e', mediaType: 'video/mp4', bytes: 9, seconds });

function measure(prices: MeasuredPrice[], of: Row, paidNano: number, facts = {}, exclusive = true): MeasuredPrice[] {
  const cells = cellsOf(of, facts);
  return addMeasurement(prices, { kind: of.kind, cells, paidNano, multiplierPpb: LIST, exclusive, atMs: 1 });
}

const exactly = (nano: number) => ({ lo: nano, hi: nano });

describe('2-D1: reference video of vendor-e is billed per second', () => {
  const clip = (...reference_videos: Media[]) =>
    row('vendor-e/video', { duration: 5, resolution: '768P' }, reference_videos.length > 0 ? { reference_videos } : {});

  it('one row of 12 s says nothing of another whose length nobody knows, or of one of 2 s', () => {
    const prices = measure([], clip(file(12)), 1_020_000_000);
    expect(measuredCost(prices, clip(url), LIST)).toBeNull();
    expect(measuredCost(prices, clip(file(2)), LIST)).toBeNull();
    expect(measuredCost(prices, clip(file(12)), LIST)).toEqual(exactly(1_020_000_000));
    expect(measuredCost(measure([], clip(url), 1_020_000_000), clip(url), LIST)).toBeNull();
  });

  it('text alone has a price of its own', () => {
    const prices = measure([], clip(), 300_000_000);
    expect(measuredCost(prices, clip(), LIST)).toEqual(exactly(300_000_000));
    expect(measuredCost(prices, clip(file(3)), LIST)).toBeNull();
  });
});

describe('a price that was read from a rounded balance', () => {
  const clip = row('vendor-e/video', { duration: 5, resolution: '768P' });
  const rough = (prices: MeasuredPrice[], paidNano: number) =>
    addMeasurement(prices, {
      ...{ kind: clip.kind, cells: cellsOf(clip, {}), multiplierPpb: LIST, exclusive: true, atMs: 1 },
      ...{ paidNano, withinNano: 10_000_000 },
    });

  it('is known only as well as the balance tells, and better with each time it is seen', () => {
    const once = rough([], 110_000_000);
    expect(measuredCost(once, clip, LIST)).toEqual({ lo: 100_000_000, hi: 120_000_000 });
    const twice = rough(once, 100_000_000);
    expect(twice).toMatchObject([{ times: 2 }]);
    expect(measuredCost(twice, clip, LIST)).toEqual({ lo: 100_000_000, hi: 110_000_000 });
    expect(measuredCost(twice, clip, LIST / 2)).toEqual({ lo: 50_000_000, hi: 55_000_000 });
  });

  it('starts anew where both cannot be of one price, and ends where an exact balance tells it', () => {
    expect(rough(rough([], 110_000_000), 140_000_000)).toMatchObject([{ times: 1, paidNano: 140_000_000 }]);
    const exact = measure(rough([], 110_000_000), clip, 104_900_000);
    expect(measuredCost(exact, clip, LIST)).toEqual(exactly(104_900_000));
  });
});

describe('what else a price may depend on', () => {
  it('1-D5: a clip of unknown length has bounds, a clip of the same length the same price', () => {
    const clip = row('svc/clip', { model: 'm', duration: 6 });
    const prices = measure([], clip, 240_000_000, { billedSeconds: 6 });
    expect(measuredCost(prices, clip, LIST, { billedSeconds: 6 })).toEqual(exactly(240_000_000));
    expect(measuredCost(prices, clip, LIST)).toEqual({ lo: 199_992_000, hi: 280_008_000 });
    expect(measuredCost(prices, row('svc/clip', { model: 'm', duration: 6, audio: true }), LIST)).toBeNull();
  });

  it('a discount is taken off what a plan sums: no row costs more than its part of that', () => {
    const clip = row('svc/clip', { model: 'm', duration: 6 });
    const cells = cellsOf(clip, { billedSeconds: 6 });
    const at = { multiplierPpb: 800_000_000, exclusive: true, atMs: 1 };
    const prices = addMeasurement([], { kind: clip.kind, cells, paidNano: 192_000_001, ...at });
    const list = measuredCost(prices, clip, LIST);
    for (const ppb of [500_000_000, 800_000_000, 900_000_000]) {
      expect(measuredCost(prices, clip, ppb)).toEqual(list && discountedRange(list, ppb));
    }
  });

  it('the script of an avatar bounds nothing; its audio does', () => {
    const avatar = (audio?: Media) => row('vendor-b/avatar', { avatar_id: 'x' }, audio ? { audio: [audio] } : {});
    const prices = measure([], avatar(file(10)), 1_000_000_000, { billedSeconds: 10 });
    expect(measuredCost(prices, avatar(file(20)), LIST)).toEqual({ lo: 1_899_992_000, hi: 2_100_008_000 });
    expect(measuredCost(prices, avatar(url), LIST)).toEqual({ lo: 0, hi: null });
  });

  it('a driver that may be longer than declared, undocumented fields and opaque bodies give no price', () => {
    const cells = { character_orientation: 'video', input_video_seconds: 5 };
    const unseen = [
      row('vendor-a/motion-control', cells, { video: [url] }),
      row('vendor-f/interaction', { body: { prompt: 'a' } }),
      row('vendor-d/video', { prompt: 'a' }),
      row('vendor-f/video', { duration: 4 }, {}, { quality: 'best' }),
    ];
    for (const one of unseen) expect(measuredCost(measure([], one, 5), one, LIST)).toBeNull();
    const seen = row('vendor-a/motion-control', cells, { video: [file(5)] });
    expect(measuredCost(measure([], seen, 5), seen, LIST)).toEqual(exactly(5));
  });

  it('how many references of which sort go in', () => {
    const omni = (images: number) => row('vendor-a/omni-video', {}, { images: Array(images).fill(url) });
    const prices = measure([], omni(1), 450_000_000);
    expect(measuredCost(prices, omni(1), LIST)).toEqual(exactly(450_000_000));
    expect(measuredCost(prices, omni(2), LIST)).toBeNull();
  });

  it('2-D15: not on what the documents say has no effect', () => {
    const talk = (cells: Row['cells']) => row('vendor-b/avatar', cells, { audio: [file(10)] });
    const said = { billedSeconds: 10 };
    const prices = measure([], talk({ resolution: '720p', avatar_id: 'x' }), 9, said);
    expect(measuredCost(prices, talk({ resolution: '4k' }), LIST, said)).toEqual(exactly(9));
    const wide = (sound: string) => row('vendor-a/text2video', { mode: '4k', sound });
    expect(measuredCost(measure([], wide('off'), 7), wide('on'), LIST)).toEqual(exactly(7));
  });
});

it('a wrong price is replaced by the next charge that is seen alone', () => {
  const film = row('vendor-f/video', { model: 'm', duration: 4 });
  const prices = measure(measure([], film, 100), film, 120);
  expect(prices).toHaveLength(1);
  expect(measuredCost(prices, film, LIST)).toEqual(exactly(120));
  // Where others may use the account one charge proves nothing.
  expect(measuredCost(measure([], film, 100, {}, false), film, LIST)).toBeNull();
});

it('one rate measured at many lengths does not crowd out the others', () => {
  const clip = row('svc/clip', { model: 'm' });
  let prices = measure([], row('vendor-f/video', { model: 'm' }), 5);
  for (let i = 0; i < 30; i++) prices = measure(prices, clip, 1_000 + i, { billedSeconds: 1 + i / 24 });
  expect(prices).toHaveLength(11);
});

describe('4-U12: a configured price that the balance contradicts', () => {
  const film = row('vendor-f/video', { model: 'm', duration: 4 });
  const rule: PriceRule = { components: [{ unit: 'second', credits: '0.01' }] };
  const known = (paidNano: number) => ({ configured: [rule], measured: measure([], film, paidNano) });

  it('is said, and the higher one bounds what is spent', () => {
    const prices = known(120_000_000);
    expect(contradictedPrice(film, prices, LIST)).toMatchObject({ measured: exactly(120_000_000) });
    expect(rowPrice(film, prices, LIST)).toEqual({ lo: 40_000_000, hi: 120_000_000 });
  });

  it('holds as it is where both agree', () => {
    expect(contradictedPrice(film, known(40_000_000), LIST)).toBeUndefined();
    expect(rowPrice(film, known(40_000_300), LIST)).toEqual(exactly(40_000_000));
  });

  it('is seen at another length of a clip, too', () => {
    const clip = row('svc/clip', { model: 'm', duration: 6 });
    const at = (paidNano: number) => ({
      configured: [rule],
      measured: measure([], clip, paidNano, { billedSeconds: 6.5 }),
    });
    expect(contradictedPrice(clip, at(65_000_000), LIST)).toBeUndefined();
    expect(contradictedPrice(clip, at(130_000_000), LIST)).toBeDefined();
    expect(rowPrice(clip, at(130_000_000), LIST)?.hi).toBe(140_008_000);
  });
});
