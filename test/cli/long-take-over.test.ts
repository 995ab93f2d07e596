// `run --reuse` copies for longer than an engine stays of which nothing is open: the batch is handed to one that is there.
import { afterEach, expect, test, vi } from 'vitest';
import { submitAndFollow } from '../../src/cli/batch/submit-and-follow.js';

const seen = vi.hoisted(() => ({ engines: 0, given: [] as number[], open: new Set<number>() }));
vi.mock('../../src/cli/access/work-access.js', () => ({
  joinWork: async () => undefined,
  rejoinWork: async () => undefined,
  async startWork() {
    const engine = ++seen.engines;
    seen.open.add(engine);
    return { engine, close: async () => void seen.open.delete(engine) };
  },
}));
vi.mock('../../src/cli/access/seen-workers.js', async (original) => ({
  ...(await original<object>()),
  unservedText: async () => undefined,
}));
vi.mock('../../src/cli/batch/submit-batch.js', () => ({
  lastEventSeq: async () => 0,
  supplyAgain: async () => undefined,
  submitBatch: async (_at: unknown, { engine }: { engine: number }) => void seen.given.push(engine),
}));
vi.mock('../../src/cli/open-session.js', () => ({ commandHint: () => '', orderWords: () => '' }));
vi.mock('../../src/cli/batch/batch-rpm.js', () => ({ refuseSharedRpm: async () => undefined }));
vi.mock('../../src/cli/batch/batch-source.js', () => ({ refusedKeyTold: async () => undefined }));
vi.mock('../../src/cli/batch/watch-batch.js', () => ({
  watchBatch: async () => ({ end: 'detached', last: undefined }),
  leaveBatch: () => 8,
}));
vi.mock('../../src/cli/batch/write-end.js', () => ({
  orItsEnd: async (_at: unknown, _of: string, end: object) => end,
}));

afterEach(() => void vi.useRealTimers());

test.each([
  [5_000, 1],
  [6 * 60_000, 2],
])('after a take-over of %i ms the batch is given to engine %i', async (tookMs, engine) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  Object.assign(seen, { engines: 0, given: [] });
  seen.open.clear();
  const toRun = {
    session: { isJson: false, config: { out: '/out' }, cli: { io: { onInterrupt: () => () => undefined } } },
    access: { home: { readBatch: async () => undefined } },
    ...{ batch: 'b', retry: null, retries: 0, generation: { generation: 'g', rows: 1 } },
    rows: { finishedBefore: [false], lost: [] },
    plannedCosts: new Map(),
  } as unknown as Parameters<typeof submitAndFollow>[0];
  expect(await submitAndFollow(toRun, async () => void vi.advanceTimersByTime(tookMs))).toBe(8);
  expect([seen.given, [...seen.open]]).toEqual([[engine], [engine]]);
});
