// Beyond its sample nothing of a batch is submitted, whatever message asks for it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { sampleInForce, writeSampleGate } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { notOrdered } from '../../src/home/run-order.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';

test('a job for a row beyond the sample is held until its manifest is approved; a torn gate lets nothing through', async () => {
  const store = createFolderStore(join(temporaryFolder(), 'home'));
  const account = openAccountRecords(store, 'a');
  const deps = account as unknown as Dependencies;
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  const limits = { maxCreditsNano: null, maxFailures: null };
  await writeBatchOrder(account.home, 'b', { limits, policy, retry: null, generation: 'g1' });
  const ask = async (id: string, generation: string) =>
    (await notOrdered(deps, { batch: 'b', generation, part: 0, index: 0, id, kind: 0 }, content))?.outcome;
  const content = { hash: 'h', earlier: [], sinceMs: 0 };
  expect(await ask('two', 'g1')).toBeUndefined();
  await writeSampleGate(account.home, 'b', { ids: ['one'], atMs: 1 });
  expect([await ask('one', 'g1'), await ask('two', 'g1')]).toEqual([undefined, 'held']);
  const approved = { generation: 'g1', maxCreditsNano: null, atMs: 2 };
  await writeSampleGate(account.home, 'b', { ids: ['one'], atMs: 1, approved });
  expect([await ask('two', 'g1'), await ask('two', 'g2')]).toEqual([undefined, 'held']);
  await store.put(account.home.keys.batch('b').replace('batch.json', 'sample.json'), Buffer.from('{"schema":'));
  expect([await ask('one', 'g1'), await sampleInForce(account.home, 'b', 'g1')]).toEqual(['held', new Set()]);
});
