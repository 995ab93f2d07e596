// A part of a batch's rows that is gone from a home is damage, as one that was emptied: the next `run` writes it anew.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccountRecords } from '../../src/home/account-records.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { type DamagedDocument, verifyDocuments } from '../../src/home/verify-documents.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { imageRow } from '../support/stack.js';

test('its rows need a person until the manifest is run again; the ledger names it', async () => {
  const root = temporaryFolder();
  const store = createFolderStore(root);
  const write = async () => {
    const writer = createRowsWriter(store, 'a', 'b');
    for (let index = 0; index < 1_001; index += 1) {
      await writer.add({ row: imageRow(`r${index}`, { index }), raw: { id: `r${index}` } });
    }
    return writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  };
  const { generation } = await write();
  const gone = (part: string) => rmSync(join(root, 'a/batches/b/rows', generation, part));
  const read = () => openAccountRecords(store, 'a').rows.readPart('b', generation, 1);
  const { rows, home } = openAccountRecords(store, 'a');
  await rows.setCurrentGeneration('b', generation);
  await home.bindOut('b', '/out', 1);
  gone('000001.jsonl');
  expect(await read()).toMatchObject([{ isDamaged: true, row: { index: 1_000 } }]);
  const damaged: DamagedDocument[] = [];
  await verifyDocuments(home, (one) => damaged.push(one));
  expect(damaged).toMatchObject([{ key: `a/batches/b/rows/${generation}/000001.jsonl`, isMissing: true }]);
  await write();
  expect(await read()).toMatchObject([{ row: { id: 'r1000' } }]);
  // A home that is away tells nothing: its rows are waited for.
  for (const part of ['000001.jsonl', 'generation.json']) gone(part);
  await expect(read()).rejects.toMatchObject({ code: 'ENOENT' });
});
