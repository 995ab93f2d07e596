// Results that are written anew after a batch's end: whoever runs it next is not to blame where they cannot be.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { resultActivities } from '../../activities/results.js';
import type { OutputBlocked } from '../../src/contract/messages.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
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
