// A row may wait for weeks: its job's history stays short, and its end has its own reason.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BatchInput, JobInput, RowRef } from '../../src/contract/workflows.js';
import { readRetryAfter } from '../../src/service/errors.js';
import { newBatchState } from '../../workflows/batch-state.js';
import { fetchRound } from '../../workflows/fetch-row.js';
import { job } from '../../workflows/job.js';
import { sweepNowAndThen } from '../../workflows/open-rows.js';
import { beginRun, type HandedOver } from './support/one-run.js';

const DAY_MS = 24 * 3_600_000;
/** As `slot.ts` has it: far below what the server allows. */
const EVENTS_MAX = 1_500;

const { home, signals, fetchInputs, submit, download, pollProxy } = vi.hoisted(() => ({
  signals: [] as string[],
  home: { sweepRows: vi.fn(), finishRow: vi.fn() },
  fetchInputs: vi.fn(),
  submit: vi.fn(),
  download: vi.fn(),
  pollProxy: vi.fn(),
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { oneRun, currentRun } = await import('./support/one-run.js');
  return {
    ...(await original<typeof import('@temporalio/workflow')>()),
    ...oneRun,
    // What a signal costs the history of its sender, with the timer and the task around it.
    getExternalWorkflowHandle: () => ({
      async signal({ name }: { name: string }) {
        signals.push(name);
        currentRun().historyLength += 10;
      },
    }),
  };
});
vi.mock('../../workflows/proxies.js', () => ({
  homeProxy: () => home,
  downloadProxy: () => ({ fetchInputs, download }),
  pollProxy,
  submitProxy: () => ({ submit }),
  localProxy: () => ({}),
}));

beforeEach(() => {
  vi.useFakeTimers();
  signals.length = 0;
  vi.clearAllMocks();
});
afterEach(() => {
  vi.useRealTimers();
});

const row: RowRef = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r1', kind: 'svc/image' };

it('3-R10: a job that waits for its slot hands over before its history is long, and goes on waiting', async () => {
  let input: JobInput = {
    ...{ row, begins: 'submit', attempts: 0, policy: { ambiguity: 'hold', retries: 2 } },
    ...{ account: 'a', timeScale: 1, isAsked: true },
  };
  let longest = 0;
  for (let days = 0; days < 2; days += 1) {
    const run = beginRun();
    const ended = job(input).catch((error: HandedOver<JobInput>) => error);
    const before = signals.length;
    await vi.advanceTimersByTimeAsync(DAY_MS);
    const next = await Promise.race([ended, Promise.resolve('it waits still')]);
    expect(next).toMatchObject({ name: 'HandedOver' });
    longest = Math.max(longest, run.historyLength);
    expect(signals.slice(before).every((name) => name === 'acquire')).toBe(true);
    input = (next as HandedOver<JobInput>).input;
  }
  expect(longest).toBeLessThan(EVENTS_MAX + 50);
  expect(input).toMatchObject({ row, begins: 'submit', attempts: 0, policy: { ambiguity: 'hold', retries: 2 } });
});

it('3-R10: a row whose job closes again and again ends for that reason, not for an answer that was never read', async () => {
  const state = newBatchState(Date.now());
  state.open = [{ row, upToNano: null, sinceMs: Date.now(), restarts: 0, countedIn: 'g' }];
  home.sweepRows.mockResolvedValue({ rows: [{ id: 'r1', state: 'restart', begins: 'poll', attempts: 1 }], cap: 5 });
  const start = vi.fn().mockResolvedValue(undefined);
  beginRun();
  const input = { account: 'a', batch: 'b', timeScale: 1 } as BatchInput;
  sweepNowAndThen(input, state, { touch: () => undefined, ended: async () => undefined, start });
  while (home.finishRow.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(60_000);
  expect(start).toHaveBeenCalledTimes(5);
  expect(home.finishRow).toHaveBeenCalledWith({ row, status: 'review', reason: 'job_closed' });
});

it('a batch whose rows all render opens more once the account may have more jobs', async () => {
  const state = newBatchState(Date.now());
  state.open = [{ row, upToNano: null, sinceMs: Date.now(), restarts: 0, countedIn: 'g' }];
  const touch = vi.fn();
  const sweep = async (found: unknown): Promise<number> => {
    home.sweepRows.mockResolvedValue(found);
    await vi.advanceTimersByTimeAsync(60_000);
    return state.window;
  };
  beginRun();
  const input = { account: 'a', batch: 'b', timeScale: 1 } as BatchInput;
  sweepNowAndThen(input, state, { touch, ended: async () => undefined, start: async () => undefined });
  expect(await sweep({ rows: [], cap: 10 })).toBe(20);
  expect(touch).toHaveBeenCalledTimes(1);
  // What a worker of the build before has recorded is rows alone.
  expect(await sweep([])).toBe(20);
  expect(await sweep({ rows: [], cap: 5 })).toBe(10);
  expect(touch).toHaveBeenCalledTimes(1);
});

const fedJob: JobInput = {
  ...{ row, begins: 'prepare', attempts: 0, policy: { ambiguity: 'if-proved', retries: 2 } },
  ...{ account: 'a', timeScale: 1, isFed: true },
};

it('a fed row is asked for by what makes its inputs ready, once: never beside a slot that goes back', async () => {
  fetchInputs.mockResolvedValueOnce({ isAsked: true }).mockResolvedValueOnce(true);
  submit.mockResolvedValueOnce({ outcome: 'needs_inputs', granted: { grant: 5, expected: null } });
  beginRun();
  void job(fedJob).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  const terms = { apart: true, isFed: true };
  expect(fetchInputs.mock.calls).toEqual([[{ row, maySubmit: terms }], [{ row }]]);
  expect(submit.mock.calls).toEqual([[expect.objectContaining({ grant: null, standsBy: terms })]]);
  expect(signals).toEqual(['release', 'acquire']);
});

it('F23: a fresh URL is asked for longer than the longest Retry-After, so that a wait of an hour is not cut short', async () => {
  download.mockResolvedValueOnce({ outcome: 'ask', tries: 1, sinceMs: 0 });
  const askFreshUrl = vi.fn().mockResolvedValue(undefined);
  pollProxy.mockReturnValueOnce({ askFreshUrl });
  beginRun();
  const round = fetchRound({ account: 'a', row, n: 1, timeScale: 1 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await round).toMatchObject({ outcome: 'asked', tries: { asks: 1 } });
  expect(askFreshUrl).toHaveBeenCalledTimes(1);
  expect(pollProxy.mock.calls[0]?.[1]).toBeGreaterThan(readRetryAfter('3600', Date.now())?.waitMs ?? 0);
});

it('a row that is not sent after all leaves the queue where it may stand in it', async () => {
  const refused = { reason: 'input_changed', text: 'hero.png is gone' };
  for (const mayBeAsked of [{}, { mayBeAsked: true }]) {
    signals.length = 0;
    fetchInputs.mockResolvedValueOnce({ ...refused, ...mayBeAsked });
    beginRun();
    expect(await job(fedJob)).toEqual({ status: 'not_started' });
    expect(signals).toEqual('mayBeAsked' in mayBeAsked ? ['withdraw'] : []);
  }
});
