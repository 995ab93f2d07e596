// The rate of an account's queue where others may send for it as well: no window counts each request there.
import type { WorkerOptions } from '@temporalio/worker';
import { beforeEach, expect, test, vi } from 'vitest';
import { startApiWorker } from '../../src/worker/api.js';
import { silent } from '../support/silent-log.js';

const { created } = vi.hoisted(() => ({ created: [] as WorkerOptions[] }));

vi.mock('@temporalio/worker', () => ({
  Worker: {
    async create(options: WorkerOptions) {
      created.push(options);
      return { run: () => new Promise(() => undefined), shutdown: () => undefined, getState: () => 'RUNNING' };
    },
  },
}));

beforeEach(() => {
  created.splice(0);
});

type Place = Parameters<typeof startApiWorker>[0];
type Base = Parameters<typeof startApiWorker>[1];

test('a rate that cannot be set is tried again, and of those that came meanwhile the newest holds', async () => {
  let isAway = false;
  let tries = 0;
  const connect = async () => {
    tries += isAway ? 1 : 0;
    if (isAway) throw new Error('no answer');
  };
  const place = { connect } as unknown as Place;
  const api = await startApiWorker(place, {} as Base, { firstRpm: 60, window: undefined, log: silent });
  isAway = true;
  for (const rpm of [200, 1_000, 500]) api.setRpm(rpm);
  await vi.waitUntil(() => tries > 0, { interval: 1 });
  isAway = false;
  await vi.waitUntil(() => created.length === 2, { timeout: 10_000 });
  expect(created[1]?.maxTaskQueueActivitiesPerSecond).toBeCloseTo(496 / 61);
});

test('5-X9: no plan or `--rpm` is so low that the queue passes it, at the start and after a change', async () => {
  const place = { connect: async () => undefined } as unknown as Place;
  const api = await startApiWorker(place, {} as Base, { firstRpm: 1, window: undefined, log: silent });
  for (const [i, rpm] of [1, 2, 3, 5, 8, 60, 200].entries()) {
    api.setRpm(rpm);
    await vi.waitUntil(() => created.length > i, { interval: 1 });
    const aMinute = (created[i]?.maxTaskQueueActivitiesPerSecond ?? Number.POSITIVE_INFINITY) * 60;
    expect(aMinute).toBeLessThanOrEqual(rpm);
    expect(aMinute).toBeGreaterThan(0.9);
  }
});
