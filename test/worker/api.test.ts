// The rate of an account's queue where others may send for it as well: no window counts each request there.
import { beforeEach, expect, test, vi } from 'vitest';
import { startApiWorker } from '../../src/worker/api.js';
import { silent } from '../support/silent-log.js';

const { created } = vi.hoisted(() => ({ created: [] as object[] }));

vi.mock('@temporalio/worker', () => ({
  Worker: {
    async create(options: object) {
      created.push(options);
      return { run: () => new Promise(() => undefined), shutdown: () => undefined, getState: () => 'RUNNING' };
    },
  },
}));

/** Requests per second, in the order in which they were set. */
const set: number[] = [];
let isAway = false;
let tries = 0;

beforeEach(() => {
  created.splice(0);
  set.splice(0);
  isAway = false;
  tries = 0;
});

async function updateTaskQueueConfig({ updateQueueRateLimit }: RateChange): Promise<void> {
  tries += 1;
  if (isAway) throw new Error('no answer');
  set.push(updateQueueRateLimit.rateLimit.requestsPerSecond);
}

interface RateChange {
  updateQueueRateLimit: { rateLimit: { requestsPerSecond: number } };
}

function start(firstRpm: number) {
  const withDeadline = (_atMs: number, ask: () => Promise<void>): Promise<void> => ask();
  const client = { workflowService: { updateTaskQueueConfig }, options: { identity: 'one' }, withDeadline };
  const place = { client, namespace: 'default' } as unknown as Parameters<typeof startApiWorker>[0];
  return startApiWorker(place, { taskQueue: 'api' }, { firstRpm, window: undefined, log: silent });
}

test('a rate that cannot be set is tried again, and of those that came meanwhile the newest holds', async () => {
  const api = await start(60);
  isAway = true;
  for (const rpm of [200, 1_000, 500]) api.setRpm(rpm);
  await vi.waitUntil(() => tries > 1, { interval: 1 });
  isAway = false;
  await vi.waitUntil(() => set.length === 2, { timeout: 10_000 });
  expect(set[1]).toBeCloseTo(496 / 61);
});

test('a new rate needs no other worker: a task on its way to one that ends would be lost for a time', async () => {
  const api = await start(60);
  api.setRpm(600);
  await vi.waitUntil(() => set.length === 2, { interval: 1 });
  expect(created).toHaveLength(1);
});

test('the rate is said again with a later reading: the server may have lost its data', async () => {
  const api = await start(60);
  api.setRpm(60);
  const soon = [...set];
  vi.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + 61_000);
  api.setRpm(60);
  await vi.waitUntil(() => set.length === 2, { interval: 1 });
  expect(soon).toHaveLength(1);
});

test('no task is taken before the queue has a rate', async () => {
  isAway = true;
  await expect(start(60)).rejects.toThrow('no answer');
  expect(created).toHaveLength(0);
});

test('5-X9: no plan or `--rpm` is so low that the queue passes it, at the start and after a change', async () => {
  const api = await start(1);
  for (const [i, rpm] of [1, 2, 3, 5, 8, 60, 200].entries()) {
    api.setRpm(rpm);
    await vi.waitUntil(() => set.length > i, { interval: 1 });
    const aMinute = (set[i] ?? Number.POSITIVE_INFINITY) * 60;
    expect(aMinute).toBeLessThanOrEqual(rpm);
    expect(aMinute).toBeGreaterThan(0.9);
  }
});
