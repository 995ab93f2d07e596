import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { createSteadyClock } from '../../src/worker/clock.js';
import { filmRow, imageRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

/** The job is created only half of Θ after its submit broke off: an early verdict would pay it again. */
const LATE: FaultRule = {
  match: { route: 'vendor-f.submit', nth: 1 },
  action: { do: 'create-late', serviceSeconds: 90 },
};

describe.skipIf(!hasTemporal())('the wall clock jumps while an answer is lost (F52)', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it.concurrent.each([3_600_000, -3_600_000])('by %i ms: no early verdict, so no second submit', async (jumpMs) => {
    let jump = 0;
    const stack = await startStack({
      temporal,
      account: jumpMs > 0 ? 'clock-on' : 'clock-back',
      speed: 30,
      emulator: { faults: [LATE], renderSeconds: { 'vendor-f': [60, 90] } },
      wrap: (deps) => {
        const clock = createSteadyClock(() => Date.now() + jump, deps.monotonic);
        return { ...deps, now: () => clock.now() };
      },
    });
    try {
      await stack.startWorker();
      const rows = [filmRow('one'), imageRow('two')];
      await stack.supply('b', await stack.seed('b', rows), { policy: { ambiguity: 'if-proved' } });
      await until(async () => (await stack.ledger.read('b', 'one')).at(-1)?.states.at(-1)?.state === 'unknown');
      jump = jumpMs;
      await stack.result('b');
      const films = stack.emulator.truth().jobs.filter(({ kind }) => kind === 'vendor-f/video');
      expect(films.filter((job) => job.chargedNano > job.refundedNano)).toHaveLength(1);
      const verdicts = (await stack.ledger.read('b', 'one')).flatMap(({ states }) => states);
      expect(verdicts.some((state) => state.state === 'verdict' && state.verdict === 'not_billed')).toBe(false);
    } finally {
      await stack.stop();
    }
  });

  it('before the balance is read again: the bill is found, and nobody else is said to spend', async () => {
    let jump = 0;
    const stack = await startStack({
      temporal,
      account: 'clock-unread',
      speed: 60,
      emulator: { faults: [{ match: LATE.match, action: { do: 'reset-before-answer', created: true } }] },
      wrap: ({ ledger, ...deps }) => {
        const clock = createSteadyClock(() => Date.now() + jump, deps.monotonic);
        const append: typeof ledger.append = async (...told) => {
          const isNew = await ledger.append(...told);
          if (told[1].state === 'unknown') jump = 3_600_000;
          return isNew;
        };
        return { ...deps, now: () => clock.now(), ledger: { ...ledger, append } };
      },
    });
    try {
      await stack.startWorker();
      const rows = [filmRow('one'), imageRow('two')];
      const { counts } = await stack.run('b', rows, { policy: { ambiguity: 'if-proved' } });
      expect(counts).toMatchObject({ lost_paid: 1, done: 1 });
    } finally {
      await stack.stop();
    }
  });
});
