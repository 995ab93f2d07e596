import { rm } from 'node:fs/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, type FaultRule, startEmulator } from '../../emulator/emulator.js';
import { jobId } from '../../src/contract/names.js';
import type { Row } from '../../src/domain/row.js';
import { openHome } from '../../src/home/home.js';
import { orderRerun } from '../../src/home/row-orders.js';
import { createFolderStore } from '../../src/store/folder.js';
import { StoreError } from '../../src/store/port.js';
import { avatarRow, filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const RESET = 'its workflow is reset to its beginning';
/** The row with other values; in a manifest its hash would tell. */
const changed = (row: Row): Row => ({ ...row, hash: `${row.hash} changed` });
const RENDERS = { 'vendor-f': [60, 90], 'vendor-b': [40, 60] } as const;

describe.skipIf(!hasTemporal())('operators, rivals and broken clocks: one request leaves per attempt', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it.concurrent('F48: two servers with a worker each run the same rows from one home', async () => {
    const rival = await startTemporal();
    const emulator = await startEmulator({ speed: 60, control: true, renderSeconds: RENDERS });
    const rows = Array.from(
      { length: 9 },
      (_, i) => [imageRow, avatarRow, filmRow][i % 3]?.(`r${i}`) ?? imageRow(`r${i}`),
    );
    const mine = await startStack({ temporal, shared: emulator, account: 'rivals' });
    const theirs = await startStack({ temporal: rival, shared: emulator, account: 'rivals', folder: mine.folder });
    try {
      const order = await mine.seed('b', rows);
      await Promise.all([mine.startWorker(), theirs.startWorker()]);
      await Promise.all([mine.supply('b', order), theirs.supply('b', order)]);
      await Promise.all([mine.result('b'), theirs.result('b')]);
      await expectOneRequestPerAttempt(mine, emulator, 'b', rows);
    } finally {
      await theirs.stop();
      await mine.stop();
      await emulator.close();
      await rival.teardown();
    }
  });

  it.concurrent('F48: two workers of one server share the rows', async () => {
    await withStack('workers', [], async (stack) => {
      await stack.startWorker();
      const rows = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? imageRow : filmRow)(`r${i}`));
      const { counts } = await stack.run('b', rows);
      expect(counts.done).toBe(12);
      await expectOneRequestPerAttempt(stack, stack.emulator, 'b', rows);
    });
  });

  it.concurrent('4-U1: a manifest edited while it runs: nothing is paid twice, and what is stale needs a person', async () => {
    await withStack('edited', [], async (stack) => {
      const rows = Array.from({ length: 9 }, (_, i) => filmRow(`r${i}`));
      // The last row does not change; one more comes first, so that every other row has moved.
      const edited = [filmRow('new'), ...rows.map((row, i) => (i < 8 ? changed(row) : row))];
      await stack.supply('b', await stack.seed('b', rows));
      await until(() => stack.emulator.truth().jobs.length >= 5);
      const order = await stack.seed('b', edited);
      await stack.supply('b', order);
      const { counts } = await stack.result('b');
      const { jobs } = stack.emulator.truth();
      expect(jobs).toHaveLength(10);
      const stale = (await stack.resultLines('b')).filter(({ status }) => status === 'review');
      expect(stale.length).toBeGreaterThanOrEqual(5);
      expect(counts).toMatchObject({ done: 10 - stale.length, review: stale.length });
      for (const line of stale) expect(line).toMatchObject({ reason_code: 'row_changed', attempts: 1 });
      // By order they are paid again, once.
      const home = openHome(createFolderStore(stack.settings.home), 'edited');
      await orderRerun(home, 'b', order.generation, true, Date.now());
      await stack.supply('b', order);
      expect((await stack.result('b')).counts).toMatchObject({ done: 10, review: 0 });
      expect(stack.emulator.truth().jobs).toHaveLength(10 + stale.length);
      await stack.supply('b', order);
      await stack.result('b');
      expect(stack.emulator.truth().jobs).toHaveLength(10 + stale.length);
    });
  });

  it.concurrent('F49: the server is wiped while jobs render: the ledger answers, nothing is sent again', async () => {
    const emulator = await startEmulator({ speed: 20, control: true, renderSeconds: RENDERS });
    const rows = [filmRow('film'), avatarRow('avatar'), filmRow('film-2')];
    const lost = await startTemporal();
    const before = await startStack({ temporal: lost, shared: emulator, account: 'wiped', speed: 20 });
    const worker = await before.startWorker();
    await before.supply('b', await before.seed('b', rows));
    await until(() => emulator.truth().jobs.length === 3 && standings(before, rows, 'created'));
    await lost.teardown();
    // Its server is gone: it is not waited for.
    void worker.shutdown().catch(() => undefined);
    const after = await startStack({
      temporal,
      shared: emulator,
      account: 'wiped',
      folder: before.folder,
      speed: 20,
    });
    try {
      await after.startWorker();
      const { counts } = await after.run('b', rows);
      expect(counts.done).toBe(3);
      expect(emulator.truth().jobs).toHaveLength(3);
      await expectOneRequestPerAttempt(after, emulator, 'b', rows);
    } finally {
      await after.stop();
      await emulator.close();
      await rm(before.folder, { recursive: true, force: true });
    }
  });

  /** Each takes hold of a row's job while its submit is under way or its job renders. */
  const INTERVENTIONS: Record<string, (stack: Stack, id: string, type: string) => Promise<unknown>> = {
    'its workflow is terminated': (stack, id) => jobHandle(stack, id).terminate('an operator'),
    [RESET]: async (stack, id) => {
      const { events } = await jobHandle(stack, id).fetchHistory();
      const first = events?.find((event) => event.workflowTaskCompletedEventAttributes != null);
      return stack.temporal.client.workflowService.resetWorkflowExecution({
        ...execution(stack, id, 'workflowExecution'),
        reason: 'an operator',
        requestId: `reset-${id}`,
        workflowTaskFinishEventId: first?.eventId ?? null,
      });
    },
    'its activity is reset': (stack, id, type) =>
      stack.temporal.client.workflowService.resetActivity({ ...execution(stack, id, 'execution'), type }),
    'its activity is allowed to be repeated, and reset': async (stack, id, type) => {
      await stack.temporal.client.workflowService.updateActivityOptions({
        ...execution(stack, id, 'execution'),
        type,
        activityOptions: { retryPolicy: { maximumAttempts: 5 } },
        updateMask: { paths: ['retryPolicy.maximumAttempts'] },
      });
      return stack.temporal.client.workflowService.resetActivity({
        ...execution(stack, id, 'execution'),
        type,
      });
    },
  };

  it.concurrent.each(
    Object.keys(INTERVENTIONS).flatMap((what) => [
      { what, when: 'while its submit is under way' as const },
      { what, when: 'while it renders' as const },
    ]),
  )('F50: $what $when', async ({ what, when }) => {
    const slow: FaultRule = {
      match: { route: 'vendor-f.submit', nth: 1 },
      action: { do: 'drip', bytesPerSecond: 100 },
    };
    await withStack(
      `op-${what}-${when}`.replaceAll(/[ ,]/g, '-'),
      when === 'while it renders' ? [] : [slow],
      async (stack) => {
        const rows = [filmRow('one')];
        await stack.supply('b', await stack.seed('b', rows));
        if (when === 'while it renders') await until(() => stack.emulator.truth().jobs.some(({ polls }) => polls > 0));
        else await until(() => stack.emulator.truth().jobs.length === 1);
        await INTERVENTIONS[what]?.(stack, 'one', when === 'while it renders' ? 'poll' : 'submit');
        const { counts } = await stack.result('b');
        expect(counts.done, JSON.stringify([await stack.record('b', 'one'), await stack.ledger.read('b', 'one')])).toBe(
          1,
        );
        expect(stack.emulator.truth().jobs).toHaveLength(1);
        await expectOneRequestPerAttempt(stack, stack.emulator, 'b', rows);
      },
    );
  });

  it.concurrent('F56: while a claim cannot be made durable nothing is sent; then the rows go on by themselves', async () => {
    let broken = true;
    let refused = 0;
    await withStack(
      'disk',
      [],
      async (stack) => {
        const rows = [imageRow('one'), filmRow('two')];
        await stack.supply('b', await stack.seed('b', rows));
        await until(() => refused >= 2);
        expect(paid(stack.emulator)).toEqual([]);
        broken = false;
        expect((await stack.result('b')).counts.done).toBe(2);
        await expectOneRequestPerAttempt(stack, stack.emulator, 'b', rows);
      },
      {
        wrap: (deps) => ({
          ...deps,
          ledger: {
            ...deps.ledger,
            async claim(ref, intent) {
              if (!broken) return deps.ledger.claim(ref, intent);
              refused += 1;
              throw new StoreError('EIO', 'the disk did not take it');
            },
          },
        }),
      },
    );
  });

  async function withStack(
    account: string,
    faults: FaultRule[],
    look: (stack: Stack) => Promise<void>,
    options: Pick<Parameters<typeof startStack>[0] & object, 'wrap'> = {},
  ): Promise<void> {
    const stack = await startStack({
      temporal,
      account,
      speed: 60,
      emulator: { faults, renderSeconds: RENDERS },
      ...options,
    });
    try {
      await stack.startWorker();
      await look(stack);
    } finally {
      await stack.stop();
    }
  }
});

function jobHandle({ temporal, settings }: Stack, id: string) {
  return temporal.client.workflow.getHandle(jobId(settings.account, 'b', id));
}

function execution<Name extends string>({ settings }: Stack, id: string, name: Name) {
  return { namespace: 'default', [name]: { workflowId: jobId(settings.account, 'b', id) } };
}

async function standings(stack: Stack, rows: Row[], state: string): Promise<boolean> {
  const all = await Promise.all(rows.map(({ id }) => stack.ledger.read('b', id)));
  return all.every((attempts) => attempts.at(-1)?.states.some((one) => one.state === state));
}

function paid(emulator: Emulator) {
  return emulator.truth().requests.filter(({ method }) => method === 'POST');
}

/** One claim is one POST (design 3), and no row is charged twice (I1). */
async function expectOneRequestPerAttempt(stack: Stack, emulator: Emulator, batch: string, rows: Row[]): Promise<void> {
  const all = await Promise.all(rows.map(({ id }) => stack.ledger.read(batch, id)));
  const claims = all.flat().filter(({ states }) => states[0]?.state === 'intent');
  expect(paid(emulator).length, 'requests that can cost').toBeLessThanOrEqual(claims.length);
  const { jobs } = emulator.truth();
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const charged = jobs.filter((job) => job.kind === kind && job.chargedNano > job.refundedNano);
    expect(charged.length, `${kind}: charged`).toBeLessThanOrEqual(rows.filter((row) => row.kind === kind).length);
  }
  for (const { id } of rows) expect(await stack.record(batch, id), id).toBeDefined();
}
