import { expect, test } from 'vitest';
import { bookEnd } from '../../src/books/charges.js';
import { useReadings } from '../../src/books/readings.js';
import type { Row } from '../../src/domain/row.js';
import type { ResultState } from '../../src/home/attempts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

// A price is measured where nothing that bills is hidden: what an undocumented field or a longer driver costs is no price of
// the rows without it.

const clip = { source: 'url', url: 'https://example.com/steps.mp4' } as const;
const still = { source: 'url', url: 'https://example.com/dancer.png' } as const;
const dance = plainRow('dance', {
  kind: 'vendor-a/motion-control',
  cells: { character_orientation: 'video', input_video_seconds: 4 },
  media: { image: [still], video: [clip] },
});

async function measuredOf(row: Row) {
  const { deps, clock, generation } = await accountAtHand([row], []);
  Object.assign(deps.messenger, { rowFinished: async () => true, rewriteResults: async () => undefined });
  const startMs = clock.nowMs;
  const readUntil = async (first: number, last: number, credits: number) => {
    for (let minute = first; minute <= last; minute += 1) {
      clock.nowMs = startMs + minute * MINUTE_MS;
      await readAccount(deps, credits);
      await useReadings(deps.books);
    }
  };
  await readUntil(-3, 0, 20);
  const ref = { batch: 'b', id: row.id, n: 1 };
  const claimedAtMs = startMs + 1_000;
  const claimed = intent({
    atMs: claimedAtMs,
    rowHash: row.hash,
    kind: row.kind,
    generation,
    index: 0,
    expected: null,
  });
  await deps.ledger.claim(ref, claimed);
  clock.nowMs = startMs + 30_000;
  const end: ResultState = { state: 'done', atMs: clock.nowMs, outputs: [{ url: 'https://cdn.example/a' }], facts: {} };
  await deps.ledger.append(ref, end);
  await bookEnd(deps.books, row, ref, end, { claimedAtMs });
  const { id, kind, hash: rowHash } = row;
  await deps.records.writeRecord('b', rowRecord({ id, kind, rowHash, attempts: 1, creditsBasis: 'unknown' }));
  // What a longer driver costs came with the rest.
  await readUntil(1, 8, 19.75);
  return deps.books.learned.prices();
}

test.each([
  ['a plain image', plainRow('plain'), 1],
  ['one with fields that the documents do not show', plainRow('extra', { extra: { quality: 'best' } }), 0],
  ['motion control whose driver may be longer than declared', dance, 0],
])('%s', async (_, row, prices) => {
  expect(await measuredOf(row)).toHaveLength(prices);
});
