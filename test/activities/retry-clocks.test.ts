// A retry covers what had ended when it was given, whatever clocks said then (design 5: a clock that was wrong).
import { describe, expect, test } from 'vitest';
import { fedRowActivities } from '../../activities/fed-rows.js';
import { resultActivities } from '../../activities/results.js';
import { rowActivities } from '../../activities/rows.js';
import { newRetry } from '../../src/cli/batch/run-flags.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { notOrdered } from '../../src/home/run-order.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const DAYS_2 = 48 * 60 * 60_000;
const ROW = plainRow('r');

/** A row that failed when the worker's clock was off by so much, and was retried when the clock was right again. */
async function failedAt(offMs: number) {
  const { deps, clock, refOf } = await accountAtHand([ROW]);
  const tell = { isBatchOpen: async () => true, areOpen: async () => [false], rowFinished: async () => true };
  deps.messenger = { ...deps.messenger, ...tell } as typeof deps.messenger;
  const row = refOf(ROW);
  const fail = () => resultActivities(deps).finishRow({ row, status: 'failed', reason: 'render_failed' });
  clock.nowMs = Date.now() + offMs;
  await fail();
  return {
    deps,
    at: (ms: number) => {
      clock.nowMs = Date.now() + ms;
    },
    fail,
    order: () =>
      writeBatchOrder(deps.home, 'b', {
        limits: { maxCreditsNano: null, maxFailures: null },
        policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
        retry: newRetry(undefined),
      }),
    paged: async () => {
      const { part, generation } = row;
      const asked = { batch: 'b', generation, cursor: { part, index: 0 }, limit: 5, retry: null, roomNano: null };
      return (await rowActivities(deps).pageRows(asked)).entries.map(({ id }) => id);
    },
    reopened: async () => (await fedRowActivities(deps).reopenRow({ row, cursor: null })).outcome,
    refusal: () => notOrdered(deps, row, { hash: ROW.hash, earlier: [], sinceMs: Date.now() }),
  };
}

describe.each([
  ['two days ahead', DAYS_2],
  ['two days behind', -DAYS_2],
])('a row that failed while the clock was %s', (_, offMs) => {
  test('is run again by an order that is given with the right clock, once', async () => {
    const { order, at, fail, paged, reopened, refusal } = await failedAt(offMs);
    at(0);
    await order();
    expect(await paged()).toEqual(['r']);
    expect(await refusal()).toBeUndefined();
    // It fails again, on a worker whose clock is wrong once more, one way or the other.
    at(-offMs);
    await fail();
    expect(await paged()).toEqual([]);
    expect(await reopened()).toBe('nothing');
    expect(await refusal()).toEqual({ outcome: 'ended', status: 'failed' });
  });

  test('is run again by each further order', async () => {
    const { order, at, fail, paged } = await failedAt(offMs);
    for (const _again of [1, 2]) {
      at(0);
      await order();
      expect(await paged()).toEqual(['r']);
      at(offMs);
      await fail();
      expect(await paged()).toEqual([]);
    }
  });
});

test('the order of an older build goes by the time', async () => {
  const { deps, paged } = await failedAt(0);
  const { finishedAtMs = 0 } = (await deps.records.readRecord('b', 'r')) ?? {};
  const old = { limits: { maxCreditsNano: null, maxFailures: null } } as const;
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  for (const [beforeMs, ids] of [
    [finishedAtMs, []],
    [finishedAtMs + 1, ['r']],
  ] as const) {
    await writeBatchOrder(deps.home, 'b', { ...old, policy, retry: { beforeMs, classes: [] } });
    expect(await paged()).toEqual(ids);
  }
});
