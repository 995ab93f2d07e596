// Rows in review that go on: a person's orders and late answers, recorded in the ledger, close their cases.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import * as messages from '../../src/contract/messages.js';
import { batchId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import type { BatchInput } from '../../src/contract/workflows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { filmRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

const IDS = ['attached', 'late', 'lost', 'unbilled', 'again'];
const lost: FaultRule = {
  match: { route: 'vendor-f.submit' },
  times: IDS.length,
  action: { do: 'reset-before-answer', created: true },
};
const by = { who: 'ann', why: 'the invoice shows it' };

describe.skipIf(!hasTemporal())('rows in review that go on (design 3, Policy and people)', () => {
  let temporal: TestWorkflowEnvironment;
  let stack: Stack;
  beforeAll(async () => {
    temporal = await startTemporal();
    const settings = { exclusive: false };
    stack = await startStack({ temporal, account: 'review', speed: 200, settings, emulator: { faults: [lost] } });
    await stack.startWorker();
  });
  afterAll(async () => {
    await stack?.stop();
    await temporal?.teardown();
  });

  it('every order ends its row, whether the batch runs or has ended', async () => {
    const order = await stack.seed(
      'b',
      IDS.map((id) => filmRow(id)),
    );
    await stack.supply('b', order);
    expect((await stack.result('b')).counts).toMatchObject({ review: IDS.length });

    const atMs = Date.now();
    const states: Record<string, AttemptState> = {
      attached: { state: 'attached', atMs, handle: handleOf('attached'), by },
      // F51: a process that was paused wakes up with the answer.
      late: { state: 'created', atMs, handle: handleOf('late') },
      lost: { state: 'ruled', atMs, ruling: 'billed', by },
      unbilled: { state: 'ruled', atMs, ruling: 'not_billed', by },
      again: { state: 'overridden', atMs, cause: 'person', by },
    };
    for (const [index, id] of IDS.entries()) {
      const state = states[id];
      if (state) await stack.ledger.append({ batch: 'b', id, n: 1 }, state);
      await reopen(order, index, id);
    }
    expect((await stack.result('b')).counts).toMatchObject({ done: 3, lost_paid: 1, failed: 1, review: 0 });

    const record = (id: string) => stack.record('b', id);
    expect(await record('attached')).toMatchObject({ status: 'done', attempts: 1, flags: [] });
    expect(await record('late')).toMatchObject({ status: 'done', attempts: 1, flags: [] });
    expect(await record('lost')).toMatchObject({ status: 'lost_paid', reasonCode: 'marked_lost' });
    expect((await record('lost'))?.reason).toBe('ann says that it was billed and is lost: the invoice shows it');
    expect(await record('unbilled')).toMatchObject({ status: 'failed', reasonCode: 'marked_unbilled', creditsNano: 0 });
    expect(await record('again')).toMatchObject({ status: 'done', attempts: 2 });
    expect((await record('again'))?.flags).toEqual(['possibly_paid_twice', 'overridden']);
    // One further request alone left: that of the row that a person let be paid again.
    expect(stack.emulator.truth().jobs).toHaveLength(IDS.length + 1);
  });

  function handleOf(id: string): string {
    const made = stack.emulator.truth().jobs.find((one) => JSON.stringify(one.body).includes(`film ${id}`));
    return made?.handle ?? `no job of ${id}`;
  }

  async function reopen(order: { generation: string; rows: number }, index: number, id: string): Promise<void> {
    const kind = 'vendor-f/video';
    const policy = { ambiguity: 'if-proved' as const, retries: 0 };
    const input: BatchInput = { account: 'review', batch: 'b', policy, timeScale: 200 };
    await temporal.client.workflow.signalWithStart('batch', {
      workflowId: batchId('review', 'b'),
      taskQueue: taskQueues('review').home,
      memo: WORKFLOW_MEMO,
      args: [input],
      signal: messages.reopen,
      signalArgs: [{ ...order, row: { batch: 'b', generation: order.generation, part: 0, index, id, kind } }],
    });
  }
});
