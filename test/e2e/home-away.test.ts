import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/port.js';
import { imageRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

describe.skipIf(!hasTemporal())('a home that is away when a paid answer comes (F56, G1)', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it.each(['its bytes', 'the outcome'])('is offered %s until it is back: no answer is lost', async (what) => {
    let refusals = 2;
    const refuse = () => {
      if (refusals === 0) return;
      refusals -= 1;
      throw new StoreError('UNREACHABLE', 'nothing answers at the endpoint', 'home');
    };
    const stack = await startStack({
      temporal,
      account: what === 'its bytes' ? 'away-bytes' : 'away-outcome',
      batch: { responseFormat: 'b64_json' },
      wrap: (deps) => ({
        ...deps,
        home: {
          ...deps.home,
          async putBlob(bytes) {
            if (what === 'its bytes') refuse();
            return deps.home.putBlob(bytes);
          },
        },
        ledger: {
          ...deps.ledger,
          async append(ref, state) {
            if (what === 'the outcome' && state.state === 'done') refuse();
            return deps.ledger.append(ref, state);
          },
        },
      }),
    });
    try {
      await stack.startWorker();
      await stack.supply('b', await stack.seed('b', [imageRow('one')]));
      expect((await stack.result('b')).counts).toMatchObject({ done: 1 });
      expect(refusals).toBe(0);
      expect(stack.emulator.truth().jobs).toHaveLength(1);
    } finally {
      await stack.stop();
    }
  });
});
