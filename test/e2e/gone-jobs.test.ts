// A grant that finds no job: what the job left at the service decides about its slot, as the ledger tells (I4, I5).
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import * as messages from '../../src/contract/messages.js';
import { semaphoreId } from '../../src/contract/names.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

describe.skipIf(!hasTemporal())('a grant for a job that is gone', () => {
  let stack: Stack;
  beforeAll(async () => {
    const lost: FaultRule = {
      match: { route: 'vendor-f.submit', nth: 1 },
      action: { do: 'reset-before-answer', created: true },
    };
    stack = await startStack({
      speed: 60,
      account: 'gone',
      emulator: { faults: [lost] },
      settings: { exclusive: false },
    });
    await stack.startWorker();
  });
  afterAll(() => stack?.stop());

  const semaphore = () => stack.temporal.client.workflow.getHandle(semaphoreId(stack.settings.account));
  const view = () => semaphore().query(messages.semaphoreView);
  const holders = async () => (await view()).holders;
  const ask = (id: string) =>
    semaphore().signal(messages.acquire, {
      job: { batch: 'gone', id },
      kind: 'vendor-f/video',
      holds: false,
    });

  it('frees the slot where nothing runs, and keeps it while a lost answer may be rendering', async () => {
    const { counts } = await stack.run('gone', [filmRow('one'), filmRow('other')]);
    expect(counts).toMatchObject({ done: 1, review: 1 });
    const idOf = (one: { job: { id: string } }): string => one.job.id;
    const [held] = await holders();
    if (held === undefined) throw new Error('the slot of the lost answer was not held');
    const lost = idOf(held);
    await ask(lost);
    await ask(lost === 'one' ? 'other' : 'one');
    // The one that was asked for last came and went: the other was looked after before it.
    await until(async () => {
      const { holders, waiting } = await view();
      return waiting === 0 && holders.every((one) => idOf(one) === lost);
    });
    await sleep(1_000);
    expect((await holders()).map(idOf)).toEqual([lost, lost]);
    const histories = await storedHistories(stack.temporal.client);
    recordHistories(
      'semaphore-gone',
      histories.filter(({ type }) => type === 'semaphore'),
    );
  });
});
