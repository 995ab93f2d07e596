// I20: what a batch may cost holds at each claim, where its budget was lowered while it runs.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { type Dependencies, type Handed, openDependencies } from '../../activities/dependencies.js';
import { submitActivities } from '../../activities/submit.js';
import { bookEnd } from '../../src/books/charges.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { accountAtHand, plainRow, readAccount } from './support/account-at-hand.js';

const CREDIT = 1_000_000_000;

async function lowered(rows: Row[], prices: PriceRule[], over: (deps: Dependencies) => Partial<Handed> = () => ({})) {
  const at = await accountAtHand(rows, prices);
  let sent = 0;
  const send = async () => {
    sent += 1;
    return { outcome: 'not_sent', phase: 'connect', code: 'ECONNREFUSED', message: 'away', tookMs: 0 };
  };
  const deps = openDependencies({ ...at.deps, transport: { send }, ...over(at.deps) } as unknown as Handed);
  await readAccount(deps, 100);
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: CREDIT, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    isBudgetLowered: true,
    retry: null,
  });
  const submit = (row: Row, upToNano: number) => {
    const input = { row: at.refOf(row), n: 1, grant: null, sinceMs: 0, upToNano };
    return new MockActivityEnvironment().run(submitActivities(deps).submit, input);
  };
  return { ...at, deps, submit, sent: () => sent };
}

test('an attempt that ends while the sum is read is counted', async () => {
  const rows = [plainRow('a'), plainRow('b', { index: 1 })] as const;
  const ref = { batch: 'b', id: 'a', n: 1 };
  const done: Extract<AttemptState, { state: 'done' }> = { state: 'done', atMs: 3, outputs: [], facts: {} };
  let ends: (() => Promise<void>) | undefined;
  const one = await lowered(
    [...rows],
    [{ kind: 'svc/image', components: [{ unit: 'request', credits: '1' }] }],
    ({ book }) => ({
      book: {
        ...book,
        // Its answer comes just then: its entry in the book, and out of the index.
        endedOf: async (batch) => {
          const ended = await book.endedOf(batch);
          await ends?.();
          return ended;
        },
      },
    }),
  );
  const place = { kind: rows[0].kind, generation: one.generation, part: 0, index: 0 };
  const expected = { lo: CREDIT, hi: CREDIT };
  await one.deps.ledger.claim(ref, { state: 'intent', atMs: 1, nonce: 'x', rowHash: 'hash-a', expected, ...place });
  ends = async () => {
    ends = undefined;
    await one.deps.ledger.append(ref, done);
    await bookEnd(one.deps.books, rows[0], ref, done, { claimedAtMs: 1 });
  };
  expect(await one.submit(rows[1], CREDIT)).toEqual({ outcome: 'not_sent', reason: 'budget_reached' });
  expect(one.sent()).toBe(0);
});

test('what may be charged after the completion of motion control is part of its price', async () => {
  const url = (name: string) => [{ source: 'url' as const, url: `https://example.com/${name}` }];
  const row = plainRow('m', {
    kind: 'vendor-a/motion-control',
    cells: { character_orientation: 'video', input_video_seconds: 1 },
    media: { image: url('a.png'), video: url('b.mp4') },
  });
  const prices: PriceRule[] = [
    { kind: 'vendor-a/motion-control', components: [{ unit: 'input-second', credits: '0.1' }] },
  ];
  const one = await lowered([row], prices);
  // One second is declared, thirty may be charged.
  expect(await one.submit(row, 3 * CREDIT)).toEqual({ outcome: 'not_sent', reason: 'budget_reached' });
  expect(one.sent()).toBe(0);
});
