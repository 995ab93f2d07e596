// I20: a row whose job was at the service when its batch took it over is bounded by the budget as well, once it is sent anew.

import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import { submitActivities } from '../../activities/submit.js';
import { spentOf } from '../../src/books/spent.js';
import type { PriceRule } from '../../src/domain/price.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import * as window from '../../workflows/batch-state.js';
import { boundOf, roomNano, takeSpent } from '../../workflows/budget.js';
import { accountAtHand, countSends, plainRow, readAccount } from './support/account-at-hand.js';

const CREDIT = 1_000_000_000;
const PRICES: PriceRule[] = [{ kind: 'vendor-a/text2video', components: [{ unit: 'request', credits: '20' }] }];

test('a row that was changed while its first film was rendering is not sent beyond the budget when that fails', async () => {
  const row = plainRow('r', {
    kind: 'vendor-a/text2video',
    cells: { model: 'vendor-a-v3', prompt: 'p', duration: '15' },
  });
  const at = await accountAtHand([row], PRICES);
  const { deps, sent } = countSends(at.deps);
  await readAccount(deps, 100);
  const limits = { maxCreditsNano: 10 * CREDIT, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 1, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null, generation: at.generation });
  // Its first film, for other values of the row, renders for one credit.
  const ref = { batch: 'b', id: 'r', n: 1 };
  const place = { kind: row.kind, generation: at.generation, part: 0, index: 0 };
  const expected = { lo: CREDIT, hi: CREDIT };
  const atMs = deps.now() - 60_000;
  await deps.ledger.claim(ref, {
    state: 'intent',
    atMs,
    nonce: 'x',
    rowHash: 'hash-of-old-values',
    expected,
    ...place,
  });
  await deps.ledger.append(ref, { state: 'created', atMs, handle: 'h' });

  // The batch begins anew: what is at the service counts as spent, and the row is opened.
  const state = window.newBatchState(0);
  window.supplyRows(state, { generation: at.generation, rows: 1, retry: null, limits });
  takeSpent(state, await spentOf(deps, 'b', async () => ({ configured: PRICES, measured: [] })));
  const room = roomNano(state);
  expect(room).toBe(9 * CREDIT);
  const page = await rowActivities(deps).pageRows({
    ...{ batch: 'b', generation: at.generation, cursor: { part: 0, index: 0 }, limit: 5, retry: null, roomNano: room },
  });
  const [opened] = window.takePage(state, page, 0);
  expect(opened?.entry.begins).toBe('poll');

  await deps.ledger.append(ref, { state: 'ended', atMs: deps.now(), word: 'failed', message: 'no' });
  const upTo = opened && boundOf(state, opened);
  expect(upTo).toEqual({ upToNano: CREDIT });
  const input = { row: at.refOf(row), n: 2, grant: null, sinceMs: 0, ...upTo };
  const result = await new MockActivityEnvironment().run(submitActivities(deps).submit, input);
  const text =
    'its price rose to 20 credits after 1 had been reserved for it: `callsheet resume` goes on where the budget has room';
  expect(result).toEqual({ outcome: 'not_sent', reason: 'budget_reached', text });
  expect(sent()).toBe(0);
});
