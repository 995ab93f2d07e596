// A resume that comes while its batch stops by itself (design 8): whatever the instant, what the stop ended goes on, once.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handed } from '../../activities/dependencies.js';
import { setBudget } from '../../src/contract/messages.js';
import { batchId } from '../../src/contract/names.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { clearStopped, liftedStops, stoppedLast, stoppedReason } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { createFolderStore } from '../../src/store/folder.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const ROWS = 30;
const FAILURES = 2;

interface Gate {
  reach(): Promise<void>;
  open(): void;
  isReached(): boolean;
}

function gate(): Gate {
  let isReached = false;
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const reach = (): Promise<void> => {
    isReached = true;
    return promise;
  };
  return { reach, open: () => resolve(), isReached: () => isReached };
}

/** Holds the mark of a stop, and after it the ends of jobs, until they are let through. */
function held() {
  const [mark, ends] = [gate(), gate()];
  const wrap = (handed: Handed): Handed => {
    const { store } = handed.home;
    // The turn of whoever changes the mark.
    const putIfAbsent: typeof store.putIfAbsent = async (key, bytes) => {
      if (Buffer.from(bytes).includes('/stopped.json')) await mark.reach();
      return store.putIfAbsent(key, bytes);
    };
    // What a job that was asked to end looks at first, to say why it ends.
    const get: typeof store.get = async (key) => {
      if (mark.isReached() && key.endsWith('/cancelled.json')) await ends.reach();
      return store.get(key);
    };
    return { ...handed, home: { ...handed.home, store: { ...store, putIfAbsent, get } } };
  };
  return { wrap, mark, ends };
}

interface Stopping {
  mark: Gate;
  ends: Gate;
  /** What `resume` writes into the home. */
  lift(): Promise<void>;
  /** What it tells the batch. */
  tell(): Promise<void>;
  hasMark(): Promise<boolean>;
}

describe.skipIf(!hasTemporal())('a resume while its batch stops by itself', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  async function expectAllGoOn(account: string, resume: (stopping: Stopping) => Promise<void>): Promise<void> {
    const { wrap, mark, ends } = held();
    const stack = await startStack({ temporal, account, speed: 100, wrap });
    try {
      stack.emulator.setFaults([
        { match: { route: 'vendor-f.submit' }, action: { do: 'end-job', as: 'failed', message: 'no' } },
      ]);
      await stack.startWorker();
      const { home } = openAccountRecords(createFolderStore(stack.settings.home), stack.settings.account);
      const facts = await stack.seed(
        'b',
        Array.from({ length: ROWS }, (_, i) => filmRow(`f${i}`)),
      );
      const ordered = async (rows: number) => {
        const limits = { maxCreditsNano: null, maxFailures: { rows } };
        const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
        await writeBatchOrder(home, 'b', { limits, policy, retry: null, generation: facts.generation });
        return limits;
      };
      await stack.supply('b', facts, { limits: await ordered(FAILURES) });
      const batch = temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b'));
      await resume({
        ...{ mark, ends },
        lift: async () => void (await clearStopped(home, 'b')),
        tell: async () => {
          stack.emulator.setFaults([]);
          // What renders fails all the same.
          const limits = await ordered(ROWS);
          await batch.signal(setBudget, { ...limits, lifted: await liftedStops(home, 'b') });
        },
        hasMark: async () => (await stoppedLast(home, 'b')) !== undefined,
      });
      const { counts, stopped } = await stack.result('b');
      const { failed } = counts;
      expect([stopped, counts]).toEqual([undefined, { ...noneOf(counts), failed, done: ROWS - failed }]);
      expect(await stoppedReason(home, 'b')).toBeUndefined();
      expect(stack.emulator.truth().jobs).toHaveLength(ROWS);
      const named = `WorkflowId = '${batchId(stack.settings.account, 'b')}'`;
      recordHistories(`batch-${account}`, await storedHistories(temporal.client, named));
    } finally {
      mark.open();
      ends.open();
      await stack.stop();
    }
  }

  it('while its jobs are asked to end', () =>
    expectAllGoOn('resumed-after-mark', async ({ mark, ends, hasMark, lift, tell }) => {
      mark.open();
      ends.open();
      await until(hasMark);
      await lift();
      await tell();
    }));

  it('while its jobs end, having been asked to', () =>
    expectAllGoOn('resumed-at-ends', async ({ mark, ends, lift, tell }) => {
      mark.open();
      await until(ends.isReached);
      await lift();
      await tell();
      ends.open();
    }));

  it('while the stop is being written down', () =>
    expectAllGoOn('resumed-at-mark', async ({ mark, ends, lift, tell }) => {
      await until(mark.isReached);
      await lift();
      await tell();
      mark.open();
      ends.open();
    }));

  it('with the stop between what it writes and what it tells', () =>
    expectAllGoOn('resumed-before-mark', async ({ mark, ends, hasMark, lift, tell }) => {
      await lift();
      mark.open();
      ends.open();
      await until(hasMark);
      await tell();
    }));
});

function noneOf(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.keys(counts).map((status) => [status, 0]));
}
