// Only some workers have ffmpeg: the others pass a row on, until it is said that none takes its frame (design 9, When it runs).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it, vi } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { inputActivities } from '../../activities/inputs.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { sha256 } from '../download/broken-server.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { editRow, fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { imageRow } from '../support/stack.js';

afterEach(() => vi.unstubAllEnvs());

/** The row of a frame, as a worker without ffmpeg has it before it in its so many-th try. */
async function tryOf(attempt: number) {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const store = createFolderStore(join(folder, 'home'));
  const records = openAccountRecords(store, 'a');
  const film = imageRow('film');
  const writer = createRowsWriter(store, 'a', 'b');
  const rows = [film, editRow('edit', { ...fed('film', 0), frame: 'last' }, { index: 1 })];
  for (const row of rows) await writer.add({ row, raw: { id: row.id } });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  await writeBatchOptions(records.home, 'b', {
    ...{ schema: 1, out, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  const bytes = Buffer.from('a film');
  mkdirSync(join(out, 'b', 'media'), { recursive: true });
  writeFileSync(join(out, 'b', 'media', 'film.mp4'), bytes);
  const file = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: bytes.length, sha256: sha256(bytes) };
  await records.records.writeRecord('b', rowRecord({ id: 'film', files: [file], rowHash: film.hash }));
  const deps = { ...records, openStore: (place: string) => createFolderStore(place) } as unknown as Dependencies;
  vi.stubEnv('PATH', folder);
  const row = { batch: 'b', generation, part: 0, index: 1, id: 'edit', kind: 'svc/edit' as const };
  return new MockActivityEnvironment({ attempt }).run(inputActivities(deps).fetchInputs, { row });
}

it('another worker has its turn soon, many times over', async () => {
  const again = { type: 'frames.unavailable', nonRetryable: false, nextRetryDelay: 2_000 };
  await expect(tryOf(1)).rejects.toMatchObject(again);
  await expect(tryOf(59)).rejects.toMatchObject(again);
});

it('in the end the row is not begun, and says why', async () => {
  expect(await tryOf(60)).toEqual({
    reason: 'input_unfit',
    text: 'frames of films need ffmpeg, which no worker has that took the row',
  });
});
