// What is read, changed and written whole keeps every change, however many make one at the same time.

import { beforeEach, expect, test, vi } from 'vitest';
import { changeBatchOrder, orderPause, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { type Home, openHome } from '../../src/home/home.js';
import { changeInTurn } from '../../src/home/in-turn.js';
import { readPauses } from '../../src/home/pauses.js';
import { noteReruns, orderFollowers, readFollowers, rerunIds } from '../../src/home/row-orders.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';

const waits = vi.hoisted(() => ({ count: 0 }));

/** What waits for its turn waits a moment alone here. */
vi.mock(import('node:timers/promises'), async (original) => {
  const { setTimeout: delay, ...timers } = await original();
  const shortened: typeof delay = (delayMs, value) => {
    waits.count += 1;
    if (vi.isFakeTimers()) vi.advanceTimersByTime(delayMs ?? 0);
    return delay(1, value);
  };
  return { ...timers, setTimeout: shortened };
});

beforeEach(() => {
  waits.count = 0;
});

const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
const limits = { maxCreditsNano: 100, maxFailures: null };

/** Two processes that work on one home, each with an order of the batch `b` to change. */
async function twoAtOneHome(): Promise<[Home, Home]> {
  const folder = temporaryFolder();
  const [one, other] = [openHome(createFolderStore(folder), 'a'), openHome(createFolderStore(folder), 'a')];
  await writeBatchOrder(one, 'b', { limits, policy, retry: null });
  return [one, other];
}

const lower = (home: Home) =>
  changeBatchOrder(
    home,
    'b',
    (now) => now && { ...now, limits: { ...limits, maxCreditsNano: 10 }, isBudgetLowered: true },
  );

test('I20: a budget that is lowered while a pause is ordered stays lowered, and the pause holds', async () => {
  const [one, other] = await twoAtOneHome();
  // The other order comes when the first one has read what stands there and is about to write.
  let lowered: Promise<unknown> | undefined;
  const { put } = one.store;
  one.store.put = async (key, bytes) => {
    if (key === one.keys.order('b')) lowered ??= lower(other);
    return put.call(one.store, key, bytes);
  };
  expect(await orderPause(one, 'b', true)).toBe(true);
  await lowered;
  expect(await readBatchOrder(one, 'b')).toMatchObject({
    ...{ limits: { maxCreditsNano: 10 }, isBudgetLowered: true, isPaused: true },
  });
});

test('each of many changes at once stands', async () => {
  const homes = await twoAtOneHome();
  const ids = Array.from({ length: 10 }, (_, i) => `row-${i}`);
  const at = (i: number): Home => homes[i % 2] ?? homes[0];
  await Promise.all(ids.map((id, i) => noteReruns(at(i), 'b', [id])));
  await Promise.all(ids.map((id, i) => orderFollowers(at(i), 'b', [id], i < 5 ? 'starts' : 'stays')));
  expect([...(await rerunIds(homes[0], 'b'))].sort()).toEqual(ids);
  const { starts, stays } = await readFollowers(homes[1], 'b');
  expect([[...starts].sort(), [...stays].sort()]).toEqual([ids.slice(0, 5), ids.slice(5)]);
});

test('an order that changes nothing leaves nothing behind', async () => {
  const [home] = await twoAtOneHome();
  expect(await orderPause(home, 'b', false)).toBe(false);
  expect(await home.store.names('a/turns')).toEqual([]);
  expect(await readPauses(home, 'b')).toEqual([]);
});

test('a change that fails gives its turn back', async () => {
  const [home] = await twoAtOneHome();
  const fails = changeBatchOrder(home, 'b', () => {
    throw new Error('not now');
  });
  await expect(fails).rejects.toThrow('not now');
  expect(await orderPause(home, 'b', true)).toBe(true);
});

test('a process that died with its turn keeps the others waiting for some seconds alone', async () => {
  const [home] = await twoAtOneHome();
  await home.store.put(home.keys.turn(home.keys.order('b')), Buffer.from('{"holder":"one that is gone"}'));
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    expect(await orderPause(home, 'b', true)).toBe(true);
    // Ten seconds, asked for 20 times in each.
    expect(waits.count).toBe(201);
  } finally {
    vi.useRealTimers();
  }
  expect(await home.store.names('a/turns')).toEqual([]);
});

test('who was stopped with its turn changes what stands there by then, and ends no turn but its own', async () => {
  const [home, other] = await twoAtOneHome();
  const key = home.keys.order('b');
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const seen: (string | undefined)[] = [];
    let value = 'first';
    await changeInTurn<string>(home, key, {
      read: async () => value,
      next: async (now) => {
        seen.push(now);
        if (seen.length > 1) return `${now} and ours`;
        vi.advanceTimersByTime(11_000);
        value = 'of another';
        await other.store.put(other.keys.turn(key), Buffer.from('{"holder":"another"}'));
        setTimeout(() => void other.store.remove(other.keys.turn(key)), 50);
        return 'too late';
      },
      write: async (written) => {
        value = written;
      },
    });
    expect([seen, value]).toEqual([['first', 'of another'], 'of another and ours']);
  } finally {
    vi.useRealTimers();
  }
});
