// A row that was paid again has two attempts that may both still run: after a wiped server each holds a slot (I4).

import { expect, test } from 'vitest';
import * as permits from '../../workflows/permits.js';
import { openPermits } from './support/open-permits.js';

const job = (id: string) => ({ batch: 'b', id });
const kind = 'vendor-a/text2video' as const;

test('each lost attempt of a row that was paid again keeps its slot, before and after a wiped server', () => {
  const before = openPermits(2);
  for (const untilMs of [50_000, 90_000]) {
    permits.acquire(before, { job: job('r'), kind, holds: false }, 1_000);
    const [given] = permits.grantNext(before, 1_000);
    permits.release(before, { grant: given?.grant ?? -1, notBeforeMs: untilMs }, 2_000);
  }
  expect(before.holders).toHaveLength(2);

  const after = openPermits(2);
  permits.recover(after, { job: job('r'), kind, sinceMs: 0, n: 1, releaseAtMs: 50_000 });
  permits.recover(after, { job: job('r'), kind, sinceMs: 0, n: 2, releaseAtMs: 90_000 });
  // Told once more by the next page.
  permits.recover(after, { job: job('r'), kind, sinceMs: 0, n: 2, releaseAtMs: 90_000 });
  permits.acquire(after, { job: job('other'), kind, holds: false }, 3_000);
  expect(permits.grantNext(after, 3_000)).toEqual([]);
  expect(after.holders).toHaveLength(2);
});
