// A row that is not sent since its input cannot be used says why (service document 2, vendor-f: frames go as bytes).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { inputActivities } from '../../activities/inputs.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { DownloadError } from '../../src/service/download.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { silent } from '../support/silent-log.js';
import { filmRow } from '../support/stack.js';

const url = 'https://media.example/frame.png?signature=secret';

/** What the so many-th try makes of an input that comes in these pieces, or not at all. */
async function tryOf(pieces: Uint8Array[] | DownloadError, { attempt = 1, maySubmit }: Partial<Given> = {}) {
  const folder = temporaryFolder();
  const store = createFolderStore(folder);
  const writer = createRowsWriter(store, 'a', 'b');
  await writer.add({ row: filmRow('one', { media: { image: [{ source: 'url', url }] } }), raw: { id: 'one' } });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const records = openAccountRecords(store, 'a');
  await writeBatchOptions(records.home, 'b', {
    ...{ schema: 1, out: folder, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  const fetchInput = async () => {
    if (pieces instanceof DownloadError) throw pieces;
    return { stream: pieces };
  };
  const deps = {
    ...records,
    log: silent,
    settings: { timeScale: 1 },
    downloader: { fetchInput },
  } as unknown as Dependencies;
  const row = { batch: 'b', generation, part: 0, index: 0, id: 'one', kind: 'vendor-f/video' as const };
  const environment = new MockActivityEnvironment({ attempt });
  return environment.run(inputActivities(deps).fetchInputs, { row, ...(maySubmit ? { maySubmit } : {}) });
}

interface Given {
  attempt: number;
  maySubmit: object;
}

test('an input that is no image', async () => {
  const refused = { reason: 'input_missing', text: 'the input is no image' };
  expect(await tryOf([Buffer.from('<html>')])).toEqual(refused);
  // An earlier try may have asked for a slot.
  expect(await tryOf([Buffer.from('<html>')], { attempt: 2, maySubmit: {} })).toEqual({ ...refused, mayBeAsked: true });
});

test('an input that is too large', async () => {
  const pieces = Array.from({ length: 31 }, () => new Uint8Array(2 ** 20));
  expect(await tryOf(pieces)).toEqual({ reason: 'input_missing', text: 'the input is larger than 30 MB' });
});

const status = (code: number) => new DownloadError('http', `media.example answered ${code}`, code);

test.each([
  ['404', new DownloadError('expired', 'media.example answered 404', 404)],
  ['400', status(400)],
])('an input that is refused with %s is tried again, and missing in the end', async (_code, error) => {
  await expect(tryOf(error, { attempt: 5 })).rejects.toMatchObject({ type: 'download.interrupted' });
  expect(await tryOf(error, { attempt: 6 })).toBe(false);
});

test.each([
  ['cannot be reached', new DownloadError('unreachable', 'media.example cannot be reached (ECONNREFUSED)')],
  ['answers 503', status(503)],
  ['answers 429', status(429)],
  ['answers 408', status(408)],
  ['answers 425', status(425)],
])('an input whose host %s is waited for a quarter of an hour, and missing then', async (_what, error) => {
  const again = (ms: number) => ({ type: 'download.interrupted', nonRetryable: false, nextRetryDelay: ms });
  await expect(tryOf(error)).rejects.toMatchObject(again(1_000));
  await expect(tryOf(error, { attempt: 34 })).rejects.toMatchObject(again(30_000));
  expect(await tryOf(error, { attempt: 35 })).toBe(false);
});
