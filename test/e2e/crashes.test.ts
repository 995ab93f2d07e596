import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { semaphoreView } from '../../src/contract/messages.js';
import { jobId, semaphoreId } from '../../src/contract/names.js';
import type { Row } from '../../src/domain/row.js';
import { standingOf } from '../../src/domain/standing.js';
import { type Bundled, bundled } from '../support/bundled.js';
import { AFTER_REFUSAL, CRASH_POINTS, type CrashPoint } from '../support/crash-worker.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { avatarRow, filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const ROWS = { image: imageRow('image'), avatar: avatarRow('avatar'), film: filmRow('film') };

/** Where the answer must take a while for the request to have left and not come back. */
const SLOW: Record<string, FaultRule> = {
  image: { match: { route: 'svc.image', nth: 1 }, action: { do: 'stall', seconds: 2, created: true } },
  avatar: { match: { route: 'vendor-b.submit', nth: 1 }, action: { do: 'stall', seconds: 2, created: true } },
  film: { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'stall', seconds: 2, created: true } },
};

/** For a kept run: every crash of every row, so many times. Avatars and films crash by turns otherwise. */
const REPEATS = process.env.CALLSHEET_CRASH_REPEATS;
const POLLED = ['avatar', 'film'] as const;
const CASES = Array.from({ length: Number(REPEATS ?? 1) }, (_, repeat) =>
  CRASH_POINTS.flatMap((point, at) => {
    const polled = REPEATS === undefined ? POLLED.filter((_id, turn) => turn === at % POLLED.length) : POLLED;
    // A synchronous call has no handle and is not polled.
    const called = point === 'during polling' ? [] : (['image'] as const);
    return [...called, ...polled].map((id) => ({ point, id, repeat: repeat + 1 }));
  }),
).flat();

let worker: Bundled;
beforeAll(async () => {
  worker = await bundled(new URL('../support/crash-worker.ts', import.meta.url));
});
afterAll(() => worker.remove());

describe.skipIf(!hasTemporal())('a worker killed with SIGKILL (F47)', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it.concurrent.each(CASES)(
    '$point of the $id ($repeat): every row ends, none is paid twice',
    async ({ point, id, repeat }) => {
      const account = `crash-${point.replaceAll(' ', '-')}-${id}-${repeat}`;
      const faults = point === 'after the request left' ? [SLOW[id] as FaultRule] : [];
      const stack = await startStack({ temporal, account, emulator: { faults } });
      const marker = join(stack.folder, 'crashed');
      const stopWorkers = keepWorker(stack, temporal.address, point, id, marker);
      try {
        const result = await stack.run('crash', Object.values(ROWS), { policy: { ambiguity: 'if-proved' } });
        expect(existsSync(marker)).toBe(true);
        expect(Object.values(result.counts).reduce((sum, count) => sum + count, 0)).toBe(3);
        await checkAgainstTruth(stack);
      } finally {
        await stopWorkers();
        await stack.stop();
      }
    },
  );
});

describe.skipIf(!hasTemporal())('a worker killed after a refusal (F47)', () => {
  it('gives the slot back that it was granted within itself', async () => {
    const temporal = await startTemporal();
    const answer = { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' } as const;
    const faults = [{ match: { route: 'svc.image' }, action: answer }];
    const stack = await startStack({ temporal, account: 'refused', emulator: { faults } });
    const marker = join(stack.folder, 'crashed');
    const stopWorkers = keepWorker(stack, temporal.address, AFTER_REFUSAL, 'image', marker);
    try {
      const { counts } = await stack.run('crash', [ROWS.image]);
      expect([existsSync(marker), counts.failed]).toEqual([true, 1]);
      const semaphore = temporal.client.workflow.getHandle(semaphoreId('refused'));
      await until(async () => (await semaphore.query(semaphoreView)).holders.length === 0);
      const named = `WorkflowId = '${jobId('refused', 'crash', 'image')}'`;
      recordHistories('job-refused-unheard', await storedHistories(temporal.client, named));
    } finally {
      await stopWorkers();
      await stack.stop();
      await temporal.teardown();
    }
  });
});

/** Runs the worker process that is to die, and then a worker in this process, which need not be loaded anew. */
function keepWorker(stack: Stack, address: string, point: CrashPoint, id: string, marker: string): () => Promise<void> {
  const order = JSON.stringify({ address, settings: stack.settings, point, marker, id });
  const child = fork(worker.path, {
    execArgv: [],
    env: { ...process.env, CRASH_ORDER: order },
    stdio: 'ignore',
  });
  let stopped = false;
  const next = new Promise((resolve) => child.once('exit', resolve)).then(() =>
    stopped ? undefined : stack.startWorker(),
  );
  // Reported where the test ends.
  next.catch(() => undefined);
  return async () => {
    stopped = true;
    child.kill('SIGKILL');
    await next;
  };
}

/** I1: a row has a second job only where the earlier one is known not to cost; I4 and I12: the plan's caps hold. */
async function checkAgainstTruth(stack: Stack): Promise<void> {
  const { jobs, account } = stack.emulator.truth();
  const chargedOf = ({ kind }: Row) => jobs.filter((job) => job.kind === kind && job.chargedNano > job.refundedNano);
  // Of all rows first: what was paid twice explains whatever else is wrong.
  for (const row of Object.values(ROWS)) expect(chargedOf(row).length, `${row.id}: charged`).toBeLessThanOrEqual(1);
  for (const row of Object.values(ROWS)) {
    const record = await stack.record('crash', row.id);
    const attempts = await stack.ledger.read('crash', row.id);
    const story = `${row.id}, ${record?.status}: ${JSON.stringify(attempts)}`;
    if (record?.status === 'failed' || record?.status === 'cancelled') expect(chargedOf(row), story).toHaveLength(0);
    // Two answers lost at once can explain the same fall of the balance: that is for a person.
    if (jobs.some(({ kind }) => kind === row.kind)) expect(['done', 'lost_paid', 'review']).toContain(record?.status);
    if (record?.status === 'review') expect(attempts.map(standingOf), story).toContain('undecided');
    else expect(attempts.map(standingOf), story).not.toContain('created');
    if (record?.status === 'lost_paid') expect(chargedOf(row), story).toHaveLength(1);
  }
  // What ended is in the books: nothing of it stays open for later credits checks.
  for await (const open of stack.ledger.open()) {
    const attempt = await stack.ledger.readAttempt(open);
    expect(attempt && ['done', 'rendered', 'ended'].includes(standingOf(attempt)), `${open.id} stays open`).toBe(false);
  }
  expect(account.maxima.jobsAtOnce).toBeLessThanOrEqual(account.caps.concurrent);
}
