// The index of an account's renders: what it finds, when it is made anew, and that damage of it loses nothing but time.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccountRecords } from '../../src/home/account-records.js';
import { openRenderIndex } from '../../src/home/render-index.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { type Store, StoreError } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { age } from './support/age.js';
import { intent, states, storedRow, wholeRecord } from './support/examples.js';

const hashOf = (index: number): string => `hash ${index}`;

/** An account with batches of three rows; `change` stands between it and its folder. */
function account(change: (store: Store) => Store = (store) => store) {
  const place = join(temporaryFolder(), 'home');
  const store = change(createFolderStore(place));
  const records = openAccountRecords(store, 'a');
  return {
    ...records,
    store,
    age: () => age(place),
    async batch(name: string, createdAtMs: number, rows = 3) {
      const writer = createRowsWriter(store, 'a', name);
      for (let i = 0; i < rows; i += 1) await writer.add(storedRow(i, { hash: hashOf(i) }));
      const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs });
      await records.home.bindOut(name, '/out', createdAtMs);
      await records.rows.setCurrentGeneration(name, generation);
    },
    async claim(batch: string, index: number) {
      await records.ledger.claim({ batch, id: `row-${index}`, n: 1 }, intent({ rowHash: hashOf(index) }));
    },
    async done(batch: string, index: number, over: Parameters<typeof wholeRecord>[1] = {}) {
      const ref = { batch, id: `row-${index}`, n: 1 };
      await records.ledger.claim(ref, intent({ rowHash: hashOf(index) }));
      await records.ledger.append(ref, states.done);
      await records.ledger.close(ref);
      await records.records.writeRecord(
        batch,
        wholeRecord(`row-${index}`, { rowHash: hashOf(index), seenStates: 2, ...over }),
      );
    },
    /** As `batch/id`, those under way with a star. */
    async found(isExact = false): Promise<string[]> {
      const lines: string[] = [];
      for await (const { batch, id, isUnderWay } of openRenderIndex(records, isExact).renders()) {
        lines.push(`${batch}/${id}${isUnderWay ? '*' : ''}`);
      }
      return lines;
    },
  };
}

test('whole renders of all batches, the last batch first; equal requests have equal keys, whatever row they were of', async () => {
  const home = account();
  await home.batch('old', 1);
  await home.batch('new', 2);
  await home.done('old', 0);
  await home.done('old', 2);
  await home.done('new', 0);
  await home.claim('new', 1);
  expect(await home.found()).toEqual(['new/row-0', 'new/row-1*', 'old/row-0', 'old/row-2']);
  const keys = new Map<string, string>();
  for await (const { batch, id, key } of openRenderIndex(home, false).renders()) keys.set(`${batch}/${id}`, key);
  expect(keys.get('old/row-0')).toBe(keys.get('new/row-0'));
  expect(keys.get('old/row-2')).not.toBe(keys.get('old/row-0'));
});

test('what is no render of its own is not found: failed, shared, taken over, without a file, of other values, made anew', async () => {
  const home = account();
  await home.batch('b', 1, 7);
  const others: Parameters<typeof wholeRecord>[1][] = [
    { status: 'failed', reasonCode: 'invalid_request' },
    { attempts: 0 },
    { reusedFrom: 'other/row-1' },
    { files: [] },
    { rowHash: 'of other values' },
    { rerunAtMs: 5 },
  ];
  for (const [index, over] of others.entries()) await home.done('b', index, over);
  await home.done('b', 6);
  expect(await home.found()).toEqual(['b/row-6']);
});

test('a row that was rendered again gives each of its renders once, for what each of them was asked', async () => {
  const home = account();
  const render = (file: string, finishedAtMs: number, index: number) => ({
    files: [{ file, contentType: 'image/png', bytes: 3, sha256: file }],
    ...{ warnings: [], creditsNano: 5, finishedAtMs, rowHash: hashOf(index) },
  });
  await home.batch('b', 1);
  // The same row in a generation with another content, which it was rendered for first.
  const writer = createRowsWriter(home.store, 'a', 'b');
  await writer.add(storedRow(0, { hash: 'changed', cells: { prompt: 'another' } }));
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 2 });
  await home.rows.setCurrentGeneration('b', generation);
  const pastRenders = [render('v1', 1, 0), render('v2', 2, 0)];
  await home.done('b', 0, { rowHash: 'changed', finishedAtMs: 3, creditsNano: 15, pastRenders });
  const found: unknown[] = [];
  const keys = new Set<string>();
  for await (const { key, id, atMs, creditsNano } of openRenderIndex(home, true).renders()) {
    found.push([id, atMs, creditsNano]);
    keys.add(key);
  }
  expect(found).toEqual([
    ['row-0', 3, 5],
    ['row-0', 2, 5],
    ['row-0', 1, 5],
  ]);
  expect(keys.size).toBe(2);
});

test('it is kept until a record or an attempt comes, and is made anew then', async () => {
  const home = account();
  await home.batch('b', 1);
  await home.done('b', 0);
  home.age();
  expect(await home.found()).toEqual(['b/row-0']);
  const kept = async () => String(await home.store.get(home.home.keys.renders('b')));
  const first = await kept();
  expect(await home.found(true)).toEqual(['b/row-0']);
  expect(await kept()).toBe(first);
  await home.claim('b', 1);
  expect(await home.found()).toEqual(['b/row-0', 'b/row-1*']);
  await home.done('b', 2);
  expect(await home.found()).toEqual(['b/row-0', 'b/row-1*', 'b/row-2']);
  await home.records.writeRecord('b', wholeRecord('row-0', { rowHash: hashOf(0), status: 'review' }));
  expect(await home.found()).toEqual(['b/row-1*', 'b/row-2']);
});

test('a damaged or foreign index is made anew; a damaged line of it is a render that is not found', async () => {
  const home = account();
  await home.batch('b', 1);
  for (const index of [0, 1, 2]) await home.done('b', index);
  home.age();
  const all = ['b/row-0', 'b/row-1', 'b/row-2'];
  expect(await home.found()).toEqual(all);
  const key = home.home.keys.renders('b');
  const good = String(await home.store.get(key));
  const put = (text: string) => home.store.put(key, Buffer.from(text));
  for (const head of ['', '{torn', '{"schema":9}', '{"schema":1,"keys":0,"stamp":"x"}']) {
    await put([head, ...good.split('\n').slice(1)].join('\n'));
    expect(await home.found(), head).toEqual(all);
    expect(await home.store.get(key)).toEqual(Buffer.from(good));
  }
  const [head, first, , third] = good.split('\n');
  await put([head, first, '["torn', third, ''].join('\n'));
  expect(await home.found()).toEqual(['b/row-0', 'b/row-2']);
});

test('a home that cannot be written is read all the same', async () => {
  const refused = async () => {
    throw new StoreError('EROFS', 'read-only');
  };
  let isReadOnly = false;
  const home = account(
    (store) =>
      new Proxy(store, {
        get: (target, name: keyof Store) => (isReadOnly && name === 'putStream' ? refused : target[name]),
      }),
  );
  await home.batch('b', 1);
  await home.done('b', 0);
  isReadOnly = true;
  expect(await home.found()).toEqual(['b/row-0']);
});

test('without stamps, as in a bucket, a record that was written anew under its name is missed by a plan alone', async () => {
  const home = account(
    (store) =>
      new Proxy(store, {
        get: (target, name: keyof Store) => (name === 'stamps' ? undefined : target[name]),
      }),
  );
  await home.batch('b', 1);
  await home.done('b', 0);
  expect(await home.found()).toEqual(['b/row-0']);
  await home.records.writeRecord('b', wholeRecord('row-0', { rowHash: hashOf(0), status: 'review' }));
  // A plan says what the home knew; what takes over looks at each render again.
  expect(await home.found()).toEqual(['b/row-0']);
  expect(await home.found(true)).toEqual([]);
});
