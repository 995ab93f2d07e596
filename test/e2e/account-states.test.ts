import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePriceRules } from '../../emulator/emulator.js';
import { semaphoreView } from '../../src/contract/messages.js';
import { semaphoreId, TASK_QUEUE_TYPE, taskQueues } from '../../src/contract/names.js';
import type { SemaphoreView } from '../../src/contract/semaphore-view.js';
import type { Row } from '../../src/domain/row.js';
import { until } from '../e2e-cli/support/rig.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { silent } from '../support/silent-log.js';
import { filmRow, imageRow, type RunOptions, type Stack, type StackOptions, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

/** The most of some periods that lie over one instant. */
function mostAtOnce(periods: readonly { createdMs: number; terminalMs?: number }[]): number {
  const changes = periods.flatMap(({ createdMs, terminalMs }) => [
    { atMs: createdMs, by: 1 },
    ...(terminalMs === undefined ? [] : [{ atMs: terminalMs, by: -1 }]),
  ]);
  changes.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  return Math.max(0, ...changes.map(({ by }) => (now += by)));
}

const interactionRow = (id: string): Row => ({
  ...imageRow(id),
  kind: 'vendor-f/interaction',
  cells: { body: { input: `a sign ${id}` } },
});

/** A film of four seconds costs 40 credits. */
const DEAR = parsePriceRules([{ kind: 'vendor-f/video', components: [{ unit: 'second', credits: '10' }] }]);

const many = (count: number, make: (id: string) => Row, name: string) =>
  Array.from({ length: count }, (_, i) => make(`${name}${i}`));

describe.skipIf(!hasTemporal())('the account’s states around the slots', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  /** A service and an account of its own. */
  async function withStack<T>(account: string, options: StackOptions, act: (stack: Stack) => Promise<T>): Promise<T> {
    const stack = await startStack({ speed: 100, temporal, account, ...options });
    try {
      await stack.startWorker();
      return await act(stack);
    } finally {
      await stack.stop();
    }
  }

  const view = ({ settings }: Stack): Promise<SemaphoreView> =>
    temporal.client.workflow.getHandle(semaphoreId(settings.account)).query(semaphoreView);

  /** What holds an account back may outlive the batch by a little. */
  const untilFree = (stack: Stack) =>
    until('nothing holds the account back', async () => (await view(stack)).curbs.length === 0 || undefined);

  async function start(stack: Stack, rows: Row[], options?: RunOptions): Promise<void> {
    await stack.supply('b', await stack.seed('b', rows), options);
  }

  it.concurrent('a worker of a fresh account knows the plan before its queue begins: its rate does not change then', () => {
    const said: string[] = [];
    const log = { ...silent, info: (_: object, text: string) => void said.push(text) };
    return withStack('fresh', { log, emulator: { plan: 'pro' } }, async (stack) => {
      await start(stack, many(2, imageRow, 'i'));
      expect((await stack.result('b')).counts).toMatchObject({ done: 2 });
      expect(said).toContain('learned from single charges');
      expect(said).not.toContain('requests per minute changed');
    });
  });

  it.concurrent('the rate of the plan stands at the queue of requests, just below it, and follows it', () =>
    withStack('rates', { emulator: { plan: 'pro' } }, async (stack) => {
      await start(stack, many(60, filmRow, 'f'));
      const rate = async (): Promise<number> => {
        const { config } = await temporal.client.workflowService.describeTaskQueue({
          namespace: 'default',
          taskQueue: { name: taskQueues(stack.settings.account).api },
          taskQueueType: TASK_QUEUE_TYPE.activity,
          reportConfig: true,
        });
        return config?.queueRateLimit?.rateLimit?.requestsPerSecond ?? 0;
      };
      const isRateOf = async (rpm: number): Promise<true | undefined> => {
        const aMinute = (await rate()) * 60;
        return (aMinute <= rpm && aMinute > 0.95 * rpm) || undefined;
      };
      await until('the queue has the rate of the plan', () => isRateOf(stack.emulator.truth().account.caps.rpm));
      stack.emulator.setLimits({ rpm: 5_000 });
      await until('the queue has the new rate', () => isRateOf(5_000));
      expect((await stack.result('b')).counts).toMatchObject({ done: 60 });
      expect(new Set(stack.emulator.truth().violations.map(({ kind }) => kind))).toEqual(new Set());
    }));

  it.concurrent('F24: a stranger on the account lowers the cap, which is said; no row fails for it', () =>
    withStack('foreign', {}, async (stack) => {
      stack.emulator.setForeignJobs(10);
      await start(stack, many(12, filmRow, 'f'));
      const seen = await until('the stranger is seen', async () => {
        const found = await view(stack).catch(() => undefined);
        return found?.curbs.some(({ curb }) => curb === 'foreign') ? found : undefined;
      });
      expect(seen.effectiveCap).toBeLessThan(seen.planCap);
      stack.emulator.setForeignJobs(0);
      expect((await stack.result('b')).counts).toMatchObject({ done: 12 });
      expect(stack.emulator.truth().jobs).toHaveLength(12);
    }));

  it.concurrent('F25: a smaller plan (10 slots, then 5) drains to its cap, with what runs left alone', () => {
    // Long enough that all slots are in use at once, however slowly they are asked for.
    const renderSeconds = { 'vendor-f': [800, 1000] as const };
    return withStack('smaller', { emulator: { renderSeconds } }, async (stack) => {
      await start(stack, many(30, filmRow, 'f'));
      await until('eight films render', () => stack.emulator.truth().account.running >= 8 || undefined);
      stack.emulator.setPlan('free');
      const { counts } = await stack.result('b');
      expect(counts).toMatchObject({ done: 30, failed: 0 });
      const { jobs, account } = stack.emulator.truth();
      const changedMs = account.capChanges.at(-1)?.atMs ?? 0;
      const drained = jobs.filter(({ createdMs }) => createdMs > changedMs).slice(8);
      expect(drained.length).toBeGreaterThan(5);
      expect(mostAtOnce(drained)).toBeLessThanOrEqual(5);
    });
  });

  it.concurrent('F22: a model that is closed to the account fails its rows, after one request', () => {
    const limits = { concurrency: 1, rpm: null };
    const restrictedModels = ['vendor-f-3.1-fast-generate-preview'];
    return withStack('closed', { settings: { limits }, emulator: { restrictedModels } }, async (stack) => {
      const { counts } = await stack.run('b', [...many(6, filmRow, 'f'), imageRow('i')]);
      expect(counts).toMatchObject({ done: 1, failed: 6 });
      for (const id of ['f0', 'f5']) expect((await stack.record('b', id))?.reasonCode).toBe('model_not_available');
      const { requests } = stack.emulator.truth();
      expect(requests.filter(({ route }) => route === 'vendor-f.submit')).toHaveLength(1);
    });
  });

  it.concurrent('F20: out of credits holds new rows while what runs is polled and fetched', () =>
    withStack('broke', { emulator: { balanceCredits: '0.5', chargeAt: { 'vendor-f': 'submit' } } }, async (stack) => {
      await start(stack, many(3, filmRow, 'f'));
      await until(
        'the account is paused',
        async () =>
          (await view(stack).catch(() => undefined))?.pauses.some(({ reason }) => reason === 'credits') || undefined,
      );
      await until('the paid film is fetched', async () => {
        const records = await Promise.all(['f0', 'f1', 'f2'].map((id) => stack.record('b', id)));
        return records.some((record) => record?.status === 'done') || undefined;
      });
      stack.emulator.topUp('20');
      expect((await stack.result('b')).counts).toMatchObject({ done: 3 });
      expect((await view(stack)).pauses).toEqual([]);
    }));

  it.concurrent('F20: credits that were bought are tried, though the row that waits needs more', () =>
    withStack('bought', { emulator: { balanceCredits: '0.5', prices: DEAR } }, async (stack) => {
      const submits = () => stack.emulator.truth().requests.filter(({ route }) => route === 'vendor-f.submit').length;
      const isPaused = async () => (await view(stack).catch(() => undefined))?.pauses.length === 1 || undefined;
      await start(stack, [filmRow('dear')]);
      await until('the account is paused', isPaused);
      const before = submits();
      stack.emulator.topUp('6');
      await until('the row is sent once more', async () => submits() > before || undefined);
      await until('the account is paused again', isPaused);
      stack.emulator.topUp('100');
      expect((await stack.result('b')).counts).toMatchObject({ done: 1 });
      const named = `WorkflowId = '${semaphoreId(stack.settings.account)}'`;
      recordHistories('semaphore-bought', await storedHistories(temporal.client, named));
    }));

  it.concurrent('kinds without a slot: at most four are open at once', () =>
    withStack('slotless', {}, async (stack) => {
      await stack.run('b', many(14, interactionRow, 'n'));
      const { jobs } = stack.emulator.truth();
      expect(jobs).toHaveLength(14);
      expect(mostAtOnce(jobs)).toBeLessThanOrEqual(4);
    }));

  it.concurrent('two lost answers open the breaker: one probe goes before the others', () =>
    withStack('breaker', {}, async (stack) => {
      stack.emulator.setFaults([
        { match: { route: 'vendor-f.submit', nth: [1, 2] }, action: { do: 'refuse', code: 'server_error' } },
      ]);
      const { counts } = await stack.run('b', many(14, filmRow, 'f'));
      expect(counts.done + counts.failed + counts.lost_paid + counts.review).toBe(14);
      expect(counts.done).toBeGreaterThanOrEqual(12);
      // What was opened when nothing was left to be sent is closed by the next row, which is the probe.
      await stack.run('next', [filmRow('next')]);
      await untilFree(stack);
    }));

  it.concurrent('F11: a family that is away is tried by one row at a time until it answers', () =>
    withStack('away', {}, async (stack) => {
      stack.emulator.setFaults([
        { match: { route: 'vendor-f.submit' }, action: { do: 'refuse', code: 'vendor-f_unreachable' } },
      ]);
      await start(stack, [...many(8, filmRow, 'f'), imageRow('i')]);
      const seen = await until('the route is paused', async () =>
        (await view(stack).catch(() => undefined))?.curbs.find(({ curb }) => curb === 'paced'),
      );
      expect(seen).toMatchObject({ route: 'vendor-f/video', cause: 'provider' });
      await until('another family goes on', async () => (await stack.record('b', 'i'))?.status);
      stack.emulator.setFaults([]);
      expect((await stack.result('b')).counts).toMatchObject({ done: 9 });
      await untilFree(stack);
    }));

  it.concurrent('a wiped server remembers the breakers', () =>
    withStack('wiped', {}, async (stack) => {
      stack.emulator.setFaults([
        { match: { route: 'vendor-f.submit', nth: [1, 2] }, action: { do: 'refuse', code: 'server_error' } },
      ]);
      await start(stack, many(4, filmRow, 'f'));
      const isOpen = async () =>
        (await view(stack).catch(() => undefined))?.curbs.some(({ curb }) => curb === 'breaker') || undefined;
      await until('the breaker is open', isOpen);
      await delay(1_000);
      await temporal.client.workflow.getHandle(semaphoreId(stack.settings.account)).terminate('the server was wiped');
      await until('its successor knows it', isOpen);
      stack.emulator.setFaults([]);
      expect((await stack.result('b')).counts.done).toBeGreaterThanOrEqual(2);
    }));

  it.concurrent('I20: the budget stops a batch before the row that does not fit; more budget goes on', () =>
    withStack('budget', {}, async (stack) => {
      const rows = many(6, filmRow, 'f');
      const result = await stack.run('b', rows, { limits: { maxCreditsNano: 1_500_000_000 } });
      expect(result).toMatchObject({ stopped: 'budget_reached', counts: { done: 3, not_started: 3 } });
      expect(stack.emulator.truth().jobs).toHaveLength(3);
      const again = await stack.run('b', rows, { limits: { maxCreditsNano: 2_000_000_000 } });
      expect(again).toMatchObject({ stopped: 'budget_reached', counts: { done: 5, not_started: 1 } });
      const rest = await stack.run('b', rows, { limits: { maxCreditsNano: 2_400_000_000 } });
      expect(rest.stopped).toBeUndefined();
      expect(rest.counts).toMatchObject({ done: 6 });
      expect(stack.emulator.truth().jobs).toHaveLength(6);
    }));

  it.concurrent('too many failures stop a batch; the rows that were not started say why', () =>
    withStack('failures', {}, async (stack) => {
      stack.emulator.setFaults([
        { match: { route: 'vendor-f.submit' }, action: { do: 'end-job', as: 'failed', message: 'no' } },
      ]);
      const result = await stack.run('b', many(40, filmRow, 'f'), { limits: { maxFailures: { rows: 2 } } });
      expect(result.stopped).toBe('too_many_failures');
      const { failed, not_started } = result.counts;
      expect(failed).toBeGreaterThan(2);
      expect(failed + not_started).toBe(40);
      expect(stack.emulator.truth().jobs.length).toBe(failed);
    }));
});
