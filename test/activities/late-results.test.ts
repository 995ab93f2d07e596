// Results that are written anew after a batch's end: whoever runs it next is not to blame where they cannot be.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { resultActivities } from '../../activities/results.js';
import type { OutputBlocked } from '../../src/contract/messages.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

test('F45: results of an ended batch that cannot be stored hold no run that begins meanwhile', async () => {
  const { deps, generation } = await accountAtHand([plainRow('hero')]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'out'), 'a file where the folder must be');
  const options = await readBatchOptions(deps.home, 'b');
  await writeBatchOptions(deps.home, 'b', { ...options, out: join(folder, 'out') });
  await deps.rows.setCurrentGeneration('b', generation);
  const blocked: OutputBlocked[] = [];
  const heard = {
    isBatchOpen: async () => false,
    outputBlocked: async (_: string, what: OutputBlocked) => void blocked.push(what),
  };
  Object.assign(deps, { openStore: createFolderStore, messenger: { ...deps.messenger, ...heard } });
  const { rewriteResults, writeResults } = resultActivities(deps);
  const run = (work: () => Promise<unknown>) => new MockActivityEnvironment().run(work);
  const refused = { type: 'output.unavailable' };
  await expect(run(() => rewriteResults({ batch: 'b' }))).rejects.toMatchObject(refused);
  expect(blocked).toEqual([]);
  await expect(run(() => writeResults({ batch: 'b', generation }))).rejects.toMatchObject(refused);
  expect(blocked).toEqual([{ id: null, code: 'ENOTDIR' }]);
});

test('a batch that still runs rows which left the manifest writes the results of the manifest that is in force (I6)', async () => {
  const hero = plainRow('hero');
  const { deps, generation: first } = await accountAtHand([hero, plainRow('left', { index: 1 })]);
  const out = temporaryFolder();
  await writeBatchOptions(deps.home, 'b', { ...(await readBatchOptions(deps.home, 'b')), out });
  await deps.records.writeRecord('b', rowRecord({ id: 'hero', rowHash: hero.hash, creditsNano: 5 }));
  // All that `run` finds in the edited manifest is done: it has nothing to hand to the batch.
  const writer = createRowsWriter(deps.home.store, 'a', 'b');
  await writer.add({ row: hero, raw: {} });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 2 });
  await deps.rows.setCurrentGeneration('b', generation);
  Object.assign(deps, { openStore: createFolderStore });
  const { writeResults } = resultActivities(deps);
  const tally = await new MockActivityEnvironment().run(() => writeResults({ batch: 'b', generation: first }));
  expect(tally).toMatchObject({ open: 0, counts: { done: 1 }, creditsNano: 5 });
  expect(readFileSync(join(out, 'b', 'results.csv'), 'utf8')).not.toContain('left');
});
