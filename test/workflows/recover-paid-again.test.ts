// What a semaphore that begins after a wiped server finds in the ledger: each attempt that may still run holds a slot (I4, I5).

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

test('what was found in the ledger is asked after though nobody waits, until it is gone; a run of an earlier build does not', () => {
  const after = openPermits(2);
  permits.recover(after, { job: job('r'), kind, sinceMs: 0, n: 1 });
  expect(permits.mayBeGone(after)).toBe(false);
  after.forgives = true;
  expect(permits.mayBeGone(after)).toBe(true);
  permits.release(after, { grant: after.holders[0]?.grant ?? -1 }, 1_000);
  permits.acquire(after, { job: job('other'), kind, holds: false }, 3_000);
  permits.grantNext(after, 3_000);
  expect(permits.mayBeGone(after)).toBe(false);
});
