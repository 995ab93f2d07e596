// After a cancel nothing is sent, however late the word reaches the job (I19; service document 2: there is no cancel).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.js';
import { submitActivities } from '../../src/activities/submit.js';
import type { Row } from '../../src/domain/row.js';
import { createTransport } from '../../src/service/transport.js';
import { openAccountRecords } from '../../src/store/account-records.js';
import { markCancelled } from '../../src/store/batch-marks.js';
import { writeBatchOptions } from '../../src/store/batch-options.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createRowsWriter } from '../../src/store/rows-writer.js';
import { serve, status } from '../download/broken-server.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { silent } from '../support/silent-log.js';

/** A worker with one row to submit, and a service that counts requests. */
async function stand() {
  const store = createFolderStore(temporaryFolder());
  const account = openAccountRecords(store, 'a');
  const server = await serve(status(400));
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const deps = {
    settings: { timeScale: 1, prices: [], waits: { thetaMs: 1, renderMaxMs: {} }, callbacks: {}, aliasPaths: false },
    ...account,
    transport,
    messenger: { outcomeKnown: async () => true },
    log: silent,
    now: () => Date.now(),
    monotonic: () => performance.now(),
  } as unknown as Dependencies;
  const options = { out: '/out', onExists: 'fail', responseFormat: 'url', manifestFolder: '/in' } as const;
  await writeBatchOptions(account.home, 'b', { schema: 1, ...options, maxOutputBytes: 1e9 });
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: 'a bird', width: 320, height: 200 };
  const row: Row = { index: 0, line: 2, id: 'r', kind: 'svc/image', stem: 'r', cells, media: {}, hash: 'h' };
  const writer = createRowsWriter(store, 'a', 'b');
  await writer.add({ row, raw: {} });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const ref = { batch: 'b', generation, part: 0, index: 0, id: 'r', kind: 0 };
  return {
    home: account.home,
    requests: server.requests,
    close: () => transport.close(),
    attempts: () => account.ledger.read('b', 'r'),
    submit: (sinceMs: number) =>
      new MockActivityEnvironment().run(submitActivities(deps).submit, { row: ref, n: 1, grant: null, sinceMs }),
  };
}

test('I19: a job that began before its batch was cancelled claims nothing and sends nothing', async () => {
  const one = await stand();
  await markCancelled(one.home, 'b', 1_000);
  expect(await one.submit(999)).toEqual({ outcome: 'not_sent', reason: 'cancelled_by_user' });
  expect(one.requests).toEqual([]);
  expect(await one.attempts()).toEqual([]);
  await one.close();
});

test('a job that was opened after the cancel, as a person asked for, is sent', async () => {
  const one = await stand();
  await markCancelled(one.home, 'b', 1_000);
  expect(await one.submit(1_001)).toMatchObject({ outcome: 'standing', standing: 'open_case' });
  expect(one.requests).toHaveLength(1);
  await one.close();
});
