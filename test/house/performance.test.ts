import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { keptReports, pageOf } from '../../bench/lib/page.js';

test('docs/performance.md shows the kept results and nothing else', () => {
  const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  expect(readFileSync(page, 'utf8')).toBe(pageOf(keptReports()));
});
