// Of rows that feed others, the one whose own URL expires soonest goes first (rows that feed rows, readiness).
import { expect, test } from 'vitest';
import { soonestFirst } from '../../activities/row/page-entry.js';
import type { Kind } from '../../src/domain/kind.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const KINDS: Kind[] = ['svc/image', 'vendor-f/video', 'vendor-e/video', 'vendor-c/video', 'vendor-e/video'];

test('by the end of each own URL; those without one keep their order behind', async () => {
  const rows = KINDS.map((kind, index) => plainRow(`r${index}`, { kind, index }));
  const { deps, generation } = await accountAtHand(rows);
  for (const [index, { id, kind }] of rows.entries()) {
    await deps.records.writeRecord('b', {
      schema: 1,
      ...{ id, kind, status: 'done', flags: [], warnings: [], attempts: 1, files: [], rowHash: `hash-${id}` },
      creditsBasis: 'unknown',
      renderedAtMs: deps.now() + index * MINUTE_MS,
      finishedAtMs: deps.now() + index * MINUTE_MS,
    });
  }
  const feeders = rows.map(({ index }) => ({ index, seen: 0 }));
  const order = await soonestFirst(deps, { batch: 'b', generation }, feeders);
  // vendor-e's live an hour, those of images and vendor-c a day, vendor-f's cannot be named in a request.
  expect(order.map(({ index }) => index)).toEqual([2, 4, 0, 3, 1]);
});
