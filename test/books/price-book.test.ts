import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../src/books/prices/measured-prices.js';
import { configuredCost } from '../../src/books/prices/price-book.js';
import { rowPrice } from '../../src/books/prices/row-price.js';
import type { PriceComponent, PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';

function row(change: Partial<Row>): Row {
  return { index: 0, line: 2, id: 'a', kind: 'svc/image', stem: 'a', cells: {}, media: {}, hash: 'h', ...change };
}

const image = row({ cells: { model: 'svc-alpha.2-klein-4b', width: 1000, height: 2000 } });

describe('price book', () => {
  it('counts megapixels of 10^6 pixels', () => {
    const rules: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'megapixel', credits: '0.0006' }] }];
    expect(configuredCost(image, rules)).toEqual({ lo: 1_200_000, hi: 1_200_000 });
  });

  it('takes the first rule whose given fields all match, with the documents’ defaults filled in', () => {
    const rules: PriceRule[] = [
      { model: 'svc-delta-4', steps: 12, components: [{ unit: 'image', credits: '0.01' }] },
      { model: 'svc-delta-4', steps: 48, components: [{ unit: 'image', credits: '0.04' }] },
    ];
    expect(configuredCost(row({ cells: { model: 'svc-delta-4' } }), rules)).toEqual({ lo: 40_000_000, hi: 40_000_000 });
    expect(configuredCost(image, rules)).toBeNull();
  });

  it('a clip has the tier of its size, 1080p where none is given', () => {
    const rules: PriceRule[] = [
      { resolution: '720p', components: [{ unit: 'request', credits: '0.1' }] },
      { resolution: '1080p', components: [{ unit: 'request', credits: '0.2' }] },
    ];
    const cost = (cells: Row['cells']) => configuredCost(row({ kind: 'svc/clip', cells }), rules)?.lo;
    expect(cost({ width: 1280, height: 720 })).toBe(100_000_000);
    expect([cost({ width: 1920, height: 1080 }), cost({})]).toEqual([200_000_000, 200_000_000]);
  });

  it('applies the discount as a multiplier of list price (service document 1, Discount)', () => {
    const rules: PriceRule[] = [{ components: [{ unit: 'request', credits: '0.4' }] }];
    expect(configuredCost(image, rules, 850_000_000)).toEqual({ lo: 340_000_000, hi: 340_000_000 });
  });

  it('bounds what only the finished clip tells, and says so when there is no bound', () => {
    const avatar = row({ kind: 'vendor-b/avatar', cells: { script: 'hi', voice_id: 'v' } });
    const priced = (bounds: Pick<PriceComponent, 'upTo' | 'atLeast'> = {}): PriceRule[] => [
      { kind: 'vendor-b/avatar', components: [{ unit: 'second', credits: '0.1', ...bounds }] },
    ];
    expect(configuredCost(avatar, priced())).toEqual({ lo: 0, hi: null });
    expect(configuredCost(avatar, priced({ upTo: 60 }))).toEqual({ lo: 0, hi: 6_000_000_000 });
    expect(configuredCost(avatar, priced({ upTo: 60, atLeast: 2 }))).toEqual({ lo: 200_000_000, hi: 6_000_000_000 });
    expect(configuredCost(avatar, priced({ atLeast: 2 }))).toEqual({ lo: 200_000_000, hi: null });
    const ended = configuredCost(avatar, priced({ upTo: 10, atLeast: 2 }), 1_000_000_000, { billedSeconds: 12.5 });
    expect(ended).toEqual({ lo: 1_250_000_000, hi: 1_250_000_000 });
    const short = configuredCost(avatar, priced({ upTo: 10, atLeast: 2 }), 1_000_000_000, { billedSeconds: 1 });
    expect(short).toEqual({ lo: 100_000_000, hi: 100_000_000 });
  });

  it('includes the first five reference images of vendor-e (service document 2, Limits)', () => {
    const url = { source: 'url' as const, url: 'https://example.com/a.png' };
    const references = row({
      kind: 'vendor-e/video',
      cells: { duration: 4 },
      media: { reference_images: Array(7).fill(url) },
    });
    const rules: PriceRule[] = [{ components: [{ unit: 'reference-image', credits: '0.02', above: 5 }] }];
    expect(configuredCost(references, rules)).toEqual({ lo: 40_000_000, hi: 40_000_000 });
  });
});

describe('the price of a row', () => {
  const measured = {
    kind: 'svc/image',
    multiplierPpb: 500_000_000,
    paidNano: 7,
    firstAtMs: 0,
    lastAtMs: 0,
    times: 2,
  } as const;
  const known = { ...measured, exclusive: false, cells: cellsOf(image, {}) };
  const rule: PriceRule = { components: [{ unit: 'request', credits: '0.4' }] };

  it('is what is configured, else what was measured, at the discount that holds', () => {
    const prices = { configured: [], measured: [known] };
    expect(rowPrice(image, { configured: [rule], measured: [] }, 1_000_000_000)).toEqual({
      lo: 400_000_000,
      hi: 400_000_000,
    });
    expect(rowPrice(image, prices, 1_000_000_000)).toEqual({ lo: 14, hi: 14 });
    expect(rowPrice(image, prices, 500_000_000)).toEqual({ lo: 7, hi: 7 });
    expect(rowPrice(image, { configured: [], measured: [] }, 1_000_000_000)).toBeNull();
  });
});
