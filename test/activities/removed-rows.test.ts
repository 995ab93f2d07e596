import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeBatchResults } from '../../activities/files/result-files.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { intent, storedRow } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { rowRecord } from '../support/row-record.js';

/** A batch in a home of its own whose manifest is edited between its generations. */
async function batch() {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const store = createFolderStore(join(folder, 'home'));
  const account = openAccountRecords(store, 'a');
  const options = { onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 } as const;
  await writeBatchOptions(account.home, 'b', { schema: 1, out, ...options });
  return {
    ...account,
    async edit(ids: string[], createdAtMs: number): Promise<string> {
      const writer = createRowsWriter(store, 'a', 'b');
      for (const [index, id] of ids.entries()) {
        const stored = storedRow(index);
        const row = { ...stored.row, hash: 'x', id, cells: { ...stored.row.cells, prompt: `${id} of ${createdAtMs}` } };
        await writer.add({ row, raw: { id, prompt: row.cells.prompt } });
      }
      const columns = ['id', 'prompt'];
      return (await writer.finish({ columns, passthroughColumns: [], createdAtMs })).generation;
    },
    async results(generation: string) {
      const sources = { ...account, openStore: (location: string) => createFolderStore(location), now: () => 9 };
      await writeBatchResults(sources, 'b', generation);
      const read = (name: string): string => readFileSync(join(out, 'b', name), 'utf8');
      const lines = read('results.jsonl').trim().split('\n');
      const rows = lines.map((line) => JSON.parse(line) as { id: string; status: string; flags: string[] });
      return {
        rows: rows.map(({ id, status, flags }) => [id, status, flags.join()]),
        csv: read('results.csv'),
        failed: read('failed.csv'),
      };
    },
  };
}

const record = (id: string, status: RowRecord['status'], flags: RowRecord['flags'] = []) =>
  rowRecord({ id, status, flags, finishedAtMs: 1, rowHash: 'x' });

test('rows that left the manifest after an attempt keep their status with the flag removed; others leave the results', async () => {
  const one = await batch();
  const first = await one.edit(['kept', 'paid', 'broken', 'running', 'never', 'void'], 1);
  for (const id of ['kept', 'paid', 'broken', 'running']) {
    await one.ledger.claim({ batch: 'b', id, n: 1 }, intent());
  }
  await one.ledger.voidClaim({ batch: 'b', id: 'void', n: 1 }, 'no claim was written', { atMs: 1 });
  await one.records.writeRecord('b', record('kept', 'done'));
  await one.records.writeRecord('b', record('paid', 'lost_paid', ['possibly_paid_twice']));
  await one.records.writeRecord('b', record('broken', 'failed'));
  const before = await one.results(first);
  expect(before.rows.map(([id]) => id)).toEqual(['kept', 'paid', 'broken', 'running', 'never', 'void']);
  expect(before.rows.every(([, , flags]) => !flags?.includes('removed'))).toBe(true);

  const second = await one.edit(['new', 'kept'], 2);
  const after = await one.results(second);
  expect(after.rows).toEqual([
    ['new', 'waiting', ''],
    ['kept', 'done', ''],
    ['paid', 'lost_paid', 'possibly_paid_twice,removed'],
    ['broken', 'failed', 'removed'],
    ['running', 'submitting', 'removed'],
  ]);
  expect(after.csv).toMatch(/^paid,.*,possibly_paid_twice\|removed,/m);
  // Who took a row out does not want it run again.
  expect(after.failed.trim()).toBe('id,kind,prompt');

  const third = await one.edit(['paid', 'new', 'kept'], 3);
  expect((await one.results(third)).rows.map(([id, , flags]) => [id, flags])).toEqual([
    ['paid', 'possibly_paid_twice'],
    ['new', ''],
    ['kept', ''],
    ['broken', 'removed'],
    ['running', 'removed'],
  ]);
});
