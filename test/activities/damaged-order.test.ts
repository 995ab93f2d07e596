// What its user ordered of a batch cannot be read: it is taken for the worst that it could have said (src/store/json-file.ts).

import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { type Handed, openDependencies } from '../../activities/dependencies.js';
import { submitActivities } from '../../activities/submit.js';
import type { PriceRule } from '../../src/domain/price.js';
import { type BatchOrder, orderPause, writeBatchOrder } from '../../src/home/batch-order.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, countSends, plainRow, readAccount } from './support/account-at-hand.js';

const CREDIT = 1_000_000_000;
const PRICES: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'request', credits: '3' }] }];

const ORDERS: [string, Partial<BatchOrder>][] = [
  ['paused', { isPaused: true }],
  ['of a budget that was lowered below its price', { isBudgetLowered: true }],
];

test.each(ORDERS.flatMap(([what, order]) => [false, true].map((isDamaged) => [what, isDamaged, order] as const)))(
  'nothing is sent of a batch that is %s (its order is damaged: %s)',
  async (_, isDamaged, order) => {
    const row = plainRow('r');
    const at = await accountAtHand([row], PRICES);
    const { deps, sent } = countSends(at.deps);
    await readAccount(deps, 100);
    const limits = { maxCreditsNano: CREDIT, maxFailures: null };
    const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
    await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null, generation: at.generation, ...order });
    if (isDamaged) await deps.home.store.put(deps.home.keys.order('b'), Buffer.from('{"schema":1,"limi'));
    // The job was opened before that was ordered, and had reserved its price.
    const input = { row: at.refOf(row), n: 1, grant: null, sinceMs: 0, upToNano: 3 * CREDIT };
    await new MockActivityEnvironment().run(submitActivities(deps).submit, input);
    expect(sent()).toBe(0);
    // A pause that is lifted gives back no budget that nobody can read.
    if (isDamaged) await orderPause(deps.home, 'b', false);
    if (isDamaged) await new MockActivityEnvironment().run(submitActivities(deps).submit, input);
    expect(sent()).toBe(0);
  },
);

test('a row whose render failed waits where its order is damaged: by no policy has it failed for good', async () => {
  const row = plainRow('r');
  const at = await accountAtHand([row], PRICES);
  const deps = openDependencies(at.deps as unknown as Handed);
  await readAccount(deps, 100);
  const ref = { batch: 'b', id: 'r', n: 1 };
  const claimed = { atMs: deps.now(), rowHash: row.hash, kind: row.kind, generation: at.generation };
  await deps.ledger.claim(ref, intent(claimed));
  await deps.ledger.append(ref, { state: 'created', atMs: deps.now(), handle: 'h' });
  await deps.ledger.append(ref, { state: 'ended', atMs: deps.now(), word: 'failed', message: 'no' });
  await deps.home.store.put(deps.home.keys.order('b'), Buffer.from('{"schema":1,"limi'));
  const input = { row: at.refOf(row), n: 2, grant: null, sinceMs: 0 };
  const result = await new MockActivityEnvironment().run(submitActivities(deps).submit, input);
  expect(result).toEqual({ outcome: 'held' });
});
