import { describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/home/row-records.js';
import { createRows } from '../../src/home/rows.js';
import { createRowsWriter, PART_BYTES_MAX, PART_ROWS_MAX } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { collect, temporaryFolder } from '../store/support/temporary.js';
import { storedRow } from './support/examples.js';

const meta = { columns: ['id', 'kind', 'prompt'], passthroughColumns: ['x-note'], createdAtMs: 5 };

async function writeRows(
  store: Store,
  rows: StoredRow[],
  over: Partial<typeof meta> & { nativeColumns?: string[] } = {},
) {
  const writer = createRowsWriter(store, 'default', 'b');
  for (const row of rows) await writer.add(row);
  return await writer.finish({ ...meta, ...over });
}

/** Rows on a store that counts how often it is read. */
function countingRows(store: Store) {
  let gets = 0;
  const get = (key: string) => {
    gets++;
    return store.get(key);
  };
  return { rows: createRows({ ...store, get }, 'default'), gets: () => gets };
}

const manyRows = (count: number) => Array.from({ length: count }, (_, i) => storedRow(i));

describe('generations', () => {
  test('rows come back as they were, with the user’s own cells', async () => {
    const store = createFolderStore(temporaryFolder());
    const full = storedRow(0, {
      kind: 'vendor-b/avatar',
      group: 'g',
      media: {
        image: [{ source: 'url', url: 'https://cdn.example/a.png' }],
        audio: [{ source: 'blob', sha256: 'e'.repeat(64), mediaType: 'audio/mpeg', bytes: 9 }],
      },
      extra: { a: { b: [1, null] } },
      passthrough: { 'x-note': '=1+1' },
    });
    const facts = await writeRows(store, [full, storedRow(1)]);
    expect(facts).toMatchObject({
      schema: 1,
      rows: 2,
      parts: [{ rows: 2 }],
      byKind: { 'vendor-b/avatar': 1, 'svc/image': 1 },
      ...meta,
    });
    const rows = createRows(store, 'default');
    expect(await rows.readPart('b', facts.generation, 0)).toEqual([full, storedRow(1)]);
    expect(await rows.readRow('b', facts.generation, 0, 1)).toEqual(storedRow(1));
    expect(await rows.generation('b', facts.generation)).toEqual(facts);
  });

  test('parts hold at most 1,000 rows, and a row is found by its index in the whole', async () => {
    const store = createFolderStore(temporaryFolder());
    const facts = await writeRows(store, manyRows(PART_ROWS_MAX * 2 + 1));
    expect(facts.parts).toEqual([{ rows: 1_000 }, { rows: 1_000 }, { rows: 1 }]);
    const rows = createRows(store, 'default');
    expect((await rows.readRow('b', facts.generation, 1, 1_999)).row.id).toBe('row-1999');
    await expect(rows.readRow('b', facts.generation, 1, 999)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(rows.readPart('b', facts.generation, 3)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('parts hold at most 4 MB', async () => {
    const store = createFolderStore(temporaryFolder());
    const large = (index: number) => storedRow(index, { cells: { prompt: 'p'.repeat(900_000) } });
    const facts = await writeRows(
      store,
      Array.from({ length: 9 }, (_, i) => large(i)),
    );
    expect(facts.parts.map(({ rows }) => rows)).toEqual([4, 4, 1]);
    for (const part of facts.parts.keys()) {
      const key = `default/batches/b/rows/${facts.generation}/00000${part}.jsonl`;
      expect(await store.size(key)).toBeLessThanOrEqual(PART_BYTES_MAX);
    }
  });

  test('the same manifest is the same generation; any change is another', async () => {
    const store = createFolderStore(temporaryFolder());
    const first = await writeRows(store, manyRows(3));
    expect(await writeRows(store, manyRows(3), { createdAtMs: 99 })).toEqual(first);
    expect(await store.names('default/batches/b/rows')).toEqual([first.generation]);
    const others = [
      await writeRows(store, manyRows(4)),
      await writeRows(store, [storedRow(0), storedRow(1), storedRow(2, { stem: 'renamed' })]),
      await writeRows(store, manyRows(3), { columns: ['id', 'prompt', 'kind'] }),
    ];
    expect(new Set([first, ...others].map(({ generation }) => generation)).size).toBe(4);
  });

  test('of a number that became text of the same digits the newer manifest says which it is', async () => {
    const store = createFolderStore(temporaryFolder());
    const first = await writeRows(store, [storedRow(0)], { nativeColumns: ['x-note'] });
    const second = await writeRows(store, [storedRow(0)], { nativeColumns: [], createdAtMs: 9 });
    expect(second).toEqual({ ...first, nativeColumns: [] });
    expect(await createRows(store, 'default').generation('b', first.generation)).toEqual(second);
  });

  test('two runs that write the same manifest at once agree', async () => {
    const store = createFolderStore(temporaryFolder());
    const [one, two] = await Promise.all([writeRows(store, manyRows(1_500)), writeRows(store, manyRows(1_500))]);
    expect(one).toEqual(two);
    expect(await store.names('default/batches/b/rows')).toEqual([one?.generation]);
    expect(await createRows(store, 'default').readPart('b', one?.generation ?? '', 1)).toHaveLength(500);
  });

  test('what was not finished does not exist, and abort leaves nothing', async () => {
    const store = createFolderStore(temporaryFolder());
    const writer = createRowsWriter(store, 'default', 'b');
    for (const row of manyRows(1_001)) await writer.add(row);
    expect(await collect(store.list('default/batches/b/rows'))).toHaveLength(1);
    await writer.abort();
    expect(await store.names('default/batches/b/rows')).toEqual([]);
    expect(await createRows(store, 'default').generation('b', 'ffff')).toBeUndefined();
  });

  test('an earlier run that died between its parts and its last file is completed', async () => {
    const store = createFolderStore(temporaryFolder());
    const { generation } = await writeRows(store, manyRows(1_001));
    await store.remove(`default/batches/b/rows/${generation}/generation.json`);
    await store.remove(`default/batches/b/rows/${generation}/000001.jsonl`);
    expect((await writeRows(store, manyRows(1_001))).generation).toBe(generation);
    expect(await createRows(store, 'default').readPart('b', generation, 1)).toHaveLength(1);
  });

  test('rows out of order are a mistake of the caller', async () => {
    const writer = createRowsWriter(createFolderStore(temporaryFolder()), 'default', 'b');
    await expect(writer.add(storedRow(1))).rejects.toThrow('row 1 was written in the place of row 0');
  });
});

describe('reading', () => {
  test('a part is read once while it is in memory, also by many at once', async () => {
    const store = createFolderStore(temporaryFolder());
    const { generation } = await writeRows(store, manyRows(2));
    const { rows, gets } = countingRows(store);
    await Promise.all([rows.readPart('b', generation, 0), rows.readRow('b', generation, 0, 1)]);
    await rows.readPart('b', generation, 0);
    expect(gets()).toBe(2);
  });

  test('the memory for parts is bounded', async () => {
    const store = createFolderStore(temporaryFolder());
    const { generation, parts } = await writeRows(store, manyRows(PART_ROWS_MAX * 10));
    const { rows, gets } = countingRows(store);
    for (const part of parts.keys()) await rows.readPart('b', generation, part);
    await rows.readPart('b', generation, 9);
    expect(gets()).toBe(20);
    await rows.readPart('b', generation, 0);
    expect(gets()).toBe(22);
  });

  test('6-O4: a line that cannot be read is a row of its own, and a mended part is read again', async () => {
    const store = createFolderStore(temporaryFolder());
    const { generation } = await writeRows(store, manyRows(2));
    const key = `default/batches/b/rows/${generation}/000000.jsonl`;
    const whole = (await store.get(key)) ?? new Uint8Array();
    await store.put(key, whole.subarray(0, whole.length - 9));
    const rows = createRows(store, 'default');
    const read = await rows.readPart('b', generation, 0);
    expect(read.map(({ isDamaged }) => isDamaged)).toEqual([undefined, true]);
    // Nothing can be sent for it.
    await expect(rows.readRow('b', generation, 0, 1)).rejects.toMatchObject({ code: 'DAMAGED' });
    // Cut at the end of a line: the rows behind it are missed all the same.
    await store.put(key, whole.subarray(0, whole.indexOf(10) + 1));
    expect((await rows.readPart('b', generation, 0)).map(({ isDamaged }) => isDamaged)).toEqual([undefined, true]);
    // The same manifest again writes it anew.
    expect((await writeRows(store, manyRows(2))).generation).toBe(generation);
    expect((await rows.readPart('b', generation, 0)).every(({ isDamaged }) => isDamaged === undefined)).toBe(true);
  });

  test('the batch points to its current generation', async () => {
    const rows = createRows(createFolderStore(temporaryFolder()), 'default');
    expect(await rows.currentGeneration('b')).toBeUndefined();
    await rows.setCurrentGeneration('b', 'one');
    await rows.setCurrentGeneration('b', 'two');
    expect(await rows.currentGeneration('b')).toBe('two');
  });
});
