// The price rules that `plan` and `prices --example` give to fill in count everything that the documents bill.
import { expect, test } from 'vitest';
import { configuredCost } from '../../src/books/prices/price-book.js';
import { priceSnippet } from '../../src/cli/plan/plan-prices.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Media, Row } from '../../src/domain/row.js';

const urls = (count: number): Media[] => Array(count).fill({ source: 'url', url: 'https://example.com/a' });

test('vendor-e: reference video by the second, each image above five (service document 2, Limits)', () => {
  const filled = JSON.parse(JSON.stringify(priceSnippet(['vendor-e/video'])).replaceAll('?', '0.1')) as {
    prices: PriceRule[];
  };
  const media = { reference_images: urls(7), reference_videos: urls(1) };
  const row = { kind: 'vendor-e/video', cells: { duration: 10 }, media } as unknown as Row;
  // 10 s of output, 2 images, and 0 to 15 s behind the URL.
  expect(configuredCost(row, filled.prices)).toEqual({ lo: 1_200_000_000, hi: 2_700_000_000 });
});
