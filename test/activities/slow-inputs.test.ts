// Inputs may take minutes to be fetched, cut and uploaded: the activity gives signs of life all the while.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { inputActivities } from '../../activities/inputs.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { imageRow } from '../support/stack.js';

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

test('inputs that take minutes are fetched, and heard of at least every 30 s', async () => {
  const folder = temporaryFolder();
  const store = createFolderStore(folder);
  const writer = createRowsWriter(store, 'a', 'b');
  await writer.add({ row: imageRow('one'), raw: { id: 'one' } });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const { home } = openAccountRecords(store, 'a');
  await writeBatchOptions(home, 'b', {
    ...{ schema: 1, out: folder, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let readMs = 0;
  const slow: Store = {
    ...store,
    async get(key) {
      vi.advanceTimersByTime(MINUTE_MS);
      readMs += MINUTE_MS;
      return store.get(key);
    },
  };
  const environment = new MockActivityEnvironment();
  const beat = vi.fn();
  environment.on('heartbeat', beat);
  const row = { batch: 'b', generation, part: 0, index: 0, id: 'one', kind: 'svc/image' as const };
  const deps = openAccountRecords(slow, 'a') as unknown as Dependencies;
  expect(await environment.run(inputActivities(deps).fetchInputs, { row })).toBe(true);
  expect(readMs).toBeGreaterThan(0);
  expect(beat.mock.calls.length).toBeGreaterThanOrEqual(readMs / 30_000);
});
