// What the semaphore does beside its grants, with a service and a home that do not answer.
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { SemaphoreInput, SemaphoreState } from '../../src/contract/semaphore.js';
import type { SemaphoreView } from '../../src/contract/semaphore-view.js';
import type { BatchInput } from '../../src/contract/workflows.js';
import { newBatchState } from '../../workflows/batch-state.js';
import { sweepNowAndThen } from '../../workflows/open-rows.js';
import { semaphore } from '../../workflows/semaphore.js';
import { beginRun, type HandedOver, tell } from './support/one-run.js';
import { openPermits } from './support/open-permits.js';

const MINUTE_MS = 60_000;
const RUN_MAX = 1_200;

const { account, granted } = vi.hoisted(() => ({
  granted: [] as string[],
  account: {
    readAccount: vi.fn(),
    readDiscounts: vi.fn(),
    probeRecords: vi.fn(),
    sweepHolders: vi.fn(),
    sweepRows: vi.fn(),
    readLimits: vi.fn(),
    keepBreakers: vi.fn(),
  },
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  ...(await import('./support/one-run.js')).oneRun,
}));
vi.mock('../../workflows/proxies.js', () => ({
  homeProxy: () => account,
  routineReadProxy: () => account,
  localProxy: () => ({
    async tellGrant({ job }: { job: { id: string } }) {
      granted.push(job.id);
      return true;
    },
  }),
}));

const READING = { concurrent: 2, rpm: 60, balanceNano: 1, shownUntilMs: 0, keyMark: 'k' };
const never = () => new Promise<never>(() => undefined);
const away = () => Promise.reject(new Error('503'));

beforeEach(() => {
  vi.useFakeTimers();
  granted.length = 0;
  account.readAccount.mockReset().mockResolvedValue(READING);
  account.readDiscounts.mockReset().mockResolvedValue(undefined);
  account.probeRecords.mockReset().mockResolvedValue(undefined);
  account.sweepHolders.mockReset().mockResolvedValue([]);
  account.sweepRows.mockReset().mockResolvedValue([]);
  account.readLimits.mockReset().mockResolvedValue({ batches: [] });
  account.keepBreakers.mockReset().mockResolvedValue(undefined);
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run that goes on from a state; `ended` brings what it hands over. */
function goOn(state: SemaphoreState = openPermits(2, Date.now())) {
  const run = beginRun();
  const ended = semaphore({ account: 'a', timeScale: 1, state }).then(
    () => undefined,
    ({ input }: HandedOver<SemaphoreInput>) => input.state,
  );
  return { run, ended };
}

/** The next message finds the history so long that the run hands over. */
function outgrow(run: ReturnType<typeof beginRun>): void {
  run.historyLength = RUN_MAX;
  tell(messages.withdraw, { job: { batch: 'b', id: 'nobody' } });
}

const ask = (id: string) =>
  tell(messages.acquire, { job: { batch: 'b', id }, kind: 'svc/image', holds: false } as const);
const view = () => tell<undefined, SemaphoreView>(messages.semaphoreView);

describe('a home that cannot be written', () => {
  it('3-R6: is probed by the semaphore itself, so that its pause ends though the job that found it is gone', async () => {
    let isBack = (): void => undefined;
    account.probeRecords.mockImplementation(() => new Promise<void>((resolve) => (isBack = resolve)));
    goOn();
    tell(messages.pauseGrants, { reason: 'records' });
    ask('r1');
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect([granted, view().pauses]).toMatchObject([[], [{ reason: 'records' }]]);
    isBack();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([granted, view().pauses]).toEqual([['r1'], []]);
  });

  it('3-R6: is probed by the next run as well', async () => {
    account.probeRecords.mockImplementation(never);
    const { run, ended } = goOn();
    tell(messages.pauseGrants, { reason: 'records' });
    ask('r1');
    await vi.advanceTimersByTimeAsync(1_000);
    outgrow(run);
    await vi.advanceTimersByTimeAsync(1_000);
    account.probeRecords.mockResolvedValue(undefined);
    goOn(await ended);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(granted).toEqual(['r1']);
  });
});

describe('a service that does not answer the reads of the account', () => {
  it.each(['never answered', 'refused'])('3-R9, 5-X4: %s, they stop neither grants nor the hand-over', async (how) => {
    account.readAccount.mockImplementation(how === 'refused' ? away : never);
    account.readDiscounts.mockImplementation(how === 'refused' ? away : never);
    const { run, ended } = goOn();
    ask('r1');
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(granted).toEqual(['r1']);
    outgrow(run);
    await vi.advanceTimersByTimeAsync(1_000);
    const state = await Promise.race([ended, Promise.resolve('it waits')]);
    expect(state).toMatchObject({ holders: [{ job: { id: 'r1' } }] });
    goOn(state as SemaphoreState);
    ask('r2');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(granted).toEqual(['r1', 'r2']);
  });

  it('3-R9, 5-X4: is told with what cannot be read since when, until it is read', async () => {
    const sinceMs = Date.now();
    account.readAccount.mockImplementation(away);
    account.readDiscounts.mockImplementation(away);
    goOn();
    ask('r1');
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(view().curbs).toMatchObject([
      { curb: 'unread', what: 'credits', sinceMs: expect.any(Number) },
      { curb: 'unread', what: 'discounts', sinceMs: expect.any(Number) },
    ]);
    for (const curb of view().curbs) expect(curb).toSatisfy((one) => one.sinceMs < sinceMs + 6 * MINUTE_MS);
    account.readAccount.mockResolvedValue(READING);
    account.readDiscounts.mockResolvedValue(undefined);
    await vi.advanceTimersByTimeAsync(6 * MINUTE_MS);
    expect(view().curbs).toEqual([]);
  });
});

it('5-X4: a key that the service refuses for such a read pauses the account, and the view says so', async () => {
  const refused = ApplicationFailure.create({ message: '401', type: 'service.key-refused' });
  const failure = new ActivityFailure('failed', 'readAccount', '1', 'NON_RETRYABLE_FAILURE', 'w', refused);
  account.readAccount.mockRejectedValue(failure);
  goOn();
  ask('r1');
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(view().pauses).toMatchObject([{ reason: 'key' }]);
});

describe('what is due now and then', () => {
  it('7-S2: comes on an account so busy that each run ends before it is due', async () => {
    let state: SemaphoreState | undefined;
    for (let runs = 0; runs < 30; runs += 1) {
      const { run, ended } = goOn(state);
      if (runs === 0) for (const id of ['r1', 'r2', 'r3']) ask(id);
      await vi.advanceTimersByTimeAsync(20_000);
      outgrow(run);
      await vi.advanceTimersByTimeAsync(1_000);
      state = await ended;
    }
    // Ten minutes and a half.
    expect(account.readAccount.mock.calls.length).toBeGreaterThanOrEqual(10);
    expect(account.sweepHolders.mock.calls.length).toBeGreaterThanOrEqual(9);
    expect(account.readDiscounts.mock.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('7-S2: rows that did not report are looked after in a batch whose runs are as short', async () => {
    const state = newBatchState(Date.now());
    const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r1', kind: 'svc/image' } as const;
    state.open = [{ row, upToNano: null, sinceMs: Date.now(), restarts: 0, countedIn: 'g' }];
    for (let runs = 0; runs < 30; runs += 1) {
      beginRun();
      const input = { account: 'a', batch: 'b', timeScale: 1 } as BatchInput;
      sweepNowAndThen(input, state, {
        touch: () => undefined,
        ended: async () => undefined,
        start: async () => undefined,
      });
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(account.sweepRows.mock.calls.length).toBeGreaterThanOrEqual(9);
  });
});
