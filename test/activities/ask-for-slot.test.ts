// A row whose inputs are there asks for its slot in the same breath, where its submit can stand by.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { inputActivities } from '../../activities/inputs.js';
import type { Row } from '../../src/domain/row.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createStandby } from '../../src/worker/standby.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { editRow, fed } from '../support/chain-rows.js';
import { imageRow } from '../support/stack.js';

const job = { batch: 'b', id: 'one' };
const granted = { grant: 7, expected: null };

interface Given {
  rows?: Row[];
  standby?: boolean;
  attempt?: number;
  isGivenUp?: boolean;
  isFull?: boolean;
}

async function asks(given: Given = {}) {
  const folder = temporaryFolder();
  const store = createFolderStore(folder);
  const writer = createRowsWriter(store, 'a', 'b');
  const rows = given.rows ?? [imageRow('one')];
  for (const [index, row] of rows.entries()) await writer.add({ row: { ...row, index }, raw: { id: row.id } });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const records = openAccountRecords(store, 'a');
  await writeBatchOptions(records.home, 'b', {
    ...{ schema: 1, out: folder, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  const standby = createStandby(() => 0);
  // Of an earlier life of the row, or for this one where an earlier try has asked.
  standby.give(job, granted);
  for (let i = 0; given.isFull && standby.hasRoom(); i += 1) standby.give({ batch: 'b', id: `r${i}` }, granted);
  const acquireFor = vi.fn(async () => undefined);
  const messenger = { acquireFor, withdraw: vi.fn(async () => undefined), areOpen: vi.fn(async () => [true]) };
  const deps = {
    ...records,
    messenger,
    log: { warn: () => undefined },
    ...(given.standby === false ? {} : { standby }),
  };
  const { fetchInputs } = inputActivities(deps as unknown as Dependencies);
  const row = { batch: 'b', generation, part: 0, index: 0, id: 'one', kind: 'svc/image' as const };
  const environment = new MockActivityEnvironment({ attempt: given.attempt ?? 1 });
  if (given.isGivenUp) environment.cancel();
  const run = (maySubmit?: object) => environment.run(fetchInputs, { row, ...(maySubmit ? { maySubmit } : {}) });
  return { run, acquireFor, messenger, standby };
}

test('its slot is asked for with the terms of its job, and its submit stands by', async () => {
  const { run, acquireFor, standby } = await asks();
  expect(await run({ apart: true, isFed: true })).toEqual({ isAsked: true });
  const jobs = [{ id: 'one', kind: 'svc/image' }];
  expect(acquireFor).toHaveBeenCalledWith({ batch: 'b', jobs, standsBy: true, apart: true, isFed: true });
  expect(await standby.wait(job, 1)).toBeUndefined();
});

test('a try after one that has asked takes the grant that it is told anew, and none of an earlier life', async () => {
  const { run, acquireFor, standby } = await asks({ attempt: 2 });
  // As the semaphore does with who asks and holds one.
  acquireFor.mockImplementation(async () => void standby.give(job, { ...granted, grant: 8 }));
  expect(await run({})).toEqual({ isAsked: true });
  expect(await standby.wait(job, 1)).toMatchObject({ grant: 8 });
});

test('what was made ready is kept where the slot cannot be asked for: the job asks for itself', async () => {
  const { run, acquireFor } = await asks();
  acquireFor.mockRejectedValue(new Error('no server'));
  expect(await run({})).toBe(true);
});

test.each([
  ['nobody lets it', {}, undefined],
  ['no one worker alone serves the account', { standby: false }, {}],
  ['as many stand by as may', { isFull: true }, {}],
  ['the server has given the try up', { isGivenUp: true }, {}],
])('the job asks for itself where %s', async (_, given, maySubmit) => {
  const { run, acquireFor } = await asks(given);
  expect(await run(maySubmit)).toBe(true);
  expect(acquireFor).not.toHaveBeenCalled();
});

test('a row that is not sent after all says so where an earlier try may have asked', async () => {
  const rows = [editRow('one', fed('hero', 1)), imageRow('hero')];
  for (const attempt of [1, 2]) {
    const { run, acquireFor } = await asks({ rows, attempt });
    const may = attempt === 1 ? {} : { mayBeAsked: true };
    expect(await run({})).toEqual({ reason: 'upstream_failed', text: 'waits for row hero', ...may });
    expect(acquireFor).not.toHaveBeenCalled();
  }
});

test('what was asked for a job that has ended meanwhile is taken back', async () => {
  const { run, messenger } = await asks();
  expect(await run({})).toEqual({ isAsked: true });
  expect(messenger.withdraw).not.toHaveBeenCalled();
  messenger.areOpen.mockResolvedValue([false]);
  await run({});
  expect(messenger.withdraw).toHaveBeenCalledWith(job);
});
