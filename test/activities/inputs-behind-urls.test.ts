// What lies behind an address may be another picture by the time of the next order (design: the manifest, media cells).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { buildRequest } from '../../activities/files/media.js';
import { inputActivities } from '../../activities/inputs.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { loadRow } from '../../src/home/row-work.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { silent } from '../support/silent-log.js';
import { filmRow } from '../support/stack.js';

/** As far as an input is looked at. */
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const url = 'https://media.example/hero.png';

test('a later batch sends what lies behind the address then; within one order it is fetched once', async () => {
  const folder = temporaryFolder();
  const store = createFolderStore(folder);
  const records = openAccountRecords(store, 'a');
  const ordered = async (batch: string, createdAtMs: number) => {
    const writer = createRowsWriter(store, 'a', batch);
    for (const [index, id] of ['one', 'two'].entries()) {
      const row = filmRow(id, { index, media: { image: [{ source: 'url', url }] } });
      await writer.add({ row, raw: { id } });
    }
    const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs });
    await records.rows.setCurrentGeneration(batch, generation);
    await writeBatchOptions(records.home, batch, {
      ...{
        schema: 1,
        out: folder,
        onExists: 'fail',
        responseFormat: 'url',
        manifestFolder: folder,
        maxOutputBytes: 1e9,
      },
    });
    return ['one', 'two'].map((id, index) => ({
      batch,
      generation,
      part: 0,
      index,
      id,
      kind: 'vendor-f/video' as const,
    }));
  };
  let [picture, fetched, nowMs] = [Buffer.concat([PNG, Buffer.from('old')]), 0, 1_000];
  const fetchInput = async () => {
    fetched += 1;
    return { stream: [picture] };
  };
  const settings = { aliasPaths: false };
  const deps = {
    ...records,
    log: silent,
    settings,
    downloader: { fetchInput },
    now: () => nowMs,
  } as unknown as Dependencies;
  const sent = async (row: Awaited<ReturnType<typeof ordered>>[number]) => {
    const build = async () => buildRequest(deps, { ...(await loadRow(deps, row)), batch: row.batch }, 'url', undefined);
    if ((await build()) === 'needs_inputs') {
      await new MockActivityEnvironment().run(inputActivities(deps).fetchInputs, { row });
    }
    return JSON.stringify(await build());
  };
  for (const row of await ordered('may', 1_000)) expect(await sent(row)).toContain(picture.toString('base64'));
  expect(fetched).toBe(1);
  picture = Buffer.concat([PNG, Buffer.from('new')]);
  nowMs = 9_000;
  // The clock of the machine that gives the order may be ahead of the worker's.
  for (const row of await ordered('june', 9_500)) expect(await sent(row)).toContain(picture.toString('base64'));
  expect(fetched).toBe(2);
});
