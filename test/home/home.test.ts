import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BalanceCheckpoint, openHome } from '../../src/home/home.js';
import { homeKeys } from '../../src/home/home-keys.js';
import { parseAttemptName, parseIndexKey } from '../../src/home/parse-keys.js';
import { createFolderStore } from '../../src/store/folder.js';
import { collect, streamOf, temporaryFolder } from '../store/support/temporary.js';

const newHome = () => openHome(createFolderStore(temporaryFolder()), 'default');

describe('what a home is bound to', () => {
  test('an account belongs to its first base URL; another is refused with both', async () => {
    const home = newHome();
    expect(await home.baseUrl()).toBeUndefined();
    await home.bindBaseUrl('https://api.example');
    await home.bindBaseUrl('https://api.example');
    await expect(home.bindBaseUrl('http://127.0.0.1:4000')).rejects.toThrow(
      "account 'default' belongs to https://api.example, not to http://127.0.0.1:4000",
    );
    expect(await home.baseUrl()).toBe('https://api.example');
  });

  test('a batch belongs to its first output place; another is refused with both', async () => {
    const home = newHome();
    expect(await home.bindOut('spring', '/data/out', 5)).toEqual({ schema: 1, out: '/data/out', createdAtMs: 5 });
    expect(await home.bindOut('spring', '/data/out', 9)).toMatchObject({ createdAtMs: 5 });
    await expect(home.bindOut('spring', '/other', 9)).rejects.toMatchObject({
      code: 'BOUND',
      message: expect.stringContaining("batch 'spring' writes to /data/out, not to /other"),
    });
    await home.bindOut('autumn', 's3://bucket/out', 6);
    expect(await home.batches()).toEqual(['autumn', 'spring']);
    expect(await home.readBatch('winter')).toBeUndefined();
  });

  test('a file that somebody left among the batches is none', async () => {
    const root = temporaryFolder();
    const home = openHome(createFolderStore(root), 'default');
    await home.bindOut('spring', '/data/out', 5);
    writeFileSync(join(root, 'default', 'batches', 'notes'), 'x');
    expect(await home.batches()).toEqual(['spring']);
  });

  test('where nothing says any more what it was bound to, it began with its first manifest all the same', async () => {
    const home = newHome();
    await home.bindOut('shots', '/out', 1_000);
    await home.store.put(home.keys.generationFacts('shots', 'g'), Buffer.from('{"createdAtMs":1500}'));
    await home.store.put(home.keys.batch('shots'), Buffer.from('{"schema":1,'));
    expect(await home.bindOut('shots', '/other', 9_000)).toEqual({ schema: 1, out: '/other', createdAtMs: 1_500 });
  });

  test('of two first runs with different places at once, one is refused', async () => {
    const home = newHome();
    const outcomes = await Promise.allSettled(['/a', '/b'].map((out) => home.bindOut('spring', out, 1)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('3-R13: a home of a newer callsheet is refused, one of an earlier is taken over', async () => {
    const home = newHome();
    await home.store.put(home.keys.account, Buffer.from('{"schema":1,"baseUrl":"https://a.example"}'));
    await home.bindBaseUrl('https://a.example');
    const id = await home.homeId();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    await home.bindBaseUrl('https://a.example');
    expect(await home.homeId()).toBe(id);
    await home.store.put(home.keys.account, Buffer.from('{"schema":3,"url":"https://a.example"}'));
    await expect(home.baseUrl()).rejects.toMatchObject({ code: 'NEWER' });
    await expect(home.bindBaseUrl('https://a.example')).rejects.toMatchObject({ code: 'NEWER' });
  });

  test('accounts of one store are apart', async () => {
    const home = newHome();
    await home.bindOut('spring', '/a', 1);
    const other = openHome(home.store, 'rehearsal-4000');
    expect(await other.batches()).toEqual([]);
    await other.bindOut('spring', '/b', 1);
  });
});

describe('blobs', () => {
  test('bytes are kept once under their hash', async () => {
    const home = newHome();
    const sha256 = createHash('sha256').update('hello').digest('hex');
    expect(await home.hasBlob(sha256)).toBe(false);
    expect(await home.putBlob(Buffer.from('hello'))).toBe(sha256);
    expect(await home.putBlob(Buffer.from('hello'))).toBe(sha256);
    expect(await home.hasBlob(sha256)).toBe(true);
    expect(Buffer.from((await home.getBlob(sha256)) ?? []).toString()).toBe('hello');
    const stream = await home.readBlob(sha256);
    expect(Buffer.concat(await collect(stream ?? streamOf())).toString()).toBe('hello');
  });

  test('F47: what a killed process left of an input on a disk without links is replaced by the whole of it', async () => {
    const home = newHome();
    const sha256 = createHash('sha256').update('hello').digest('hex');
    await home.store.put(home.keys.blob(sha256), Buffer.from('hel'));
    expect(await home.hasBlob(sha256, 5)).toBe(false);
    await home.putBlob(Buffer.from('hello'));
    expect(Buffer.from((await home.getBlob(sha256)) ?? []).toString()).toBe('hello');
  });

  test('a file that changed while it was copied is not kept', async () => {
    const home = newHome();
    const sha256 = createHash('sha256').update('hello').digest('hex');
    const attempt = home.putBlobStream(streamOf('hel', 'p!'), sha256, 'copy');
    await expect(attempt).rejects.toMatchObject({ code: 'CHANGED' });
    expect(await home.hasBlob(sha256)).toBe(false);
    await home.putBlobStream(streamOf('hel', 'lo'), sha256, 'copy');
    expect(await home.hasBlob(sha256)).toBe(true);
  });
});

describe('balance checkpoints', () => {
  const at = (atMs: number, over: Partial<BalanceCheckpoint> = {}): BalanceCheckpoint => ({
    atMs,
    balanceNano: 25_000_000_000,
    rpm: 200,
    concurrent: 10,
    plan: 'pro',
    ...over,
  });

  test('are read from a time on, over days, oldest first', async () => {
    const home = newHome();
    expect(await home.latestCheckpoint()).toBeUndefined();
    expect(await home.checkpointsSince(0)).toEqual([]);
    const day = 86_400_000;
    const start = 1_700_000_000_000;
    for (const atMs of [start + 2 * day, start, start + 1, start + day]) await home.addCheckpoint(at(atMs));
    const times = async (sinceMs: number) => (await home.checkpointsSince(sinceMs)).map(({ atMs }) => atMs - start);
    expect(await times(0)).toEqual([0, 1, day, 2 * day]);
    expect(await times(start + 1)).toEqual([1, day, 2 * day]);
    expect(await times(start + day + 0.5)).toEqual([2 * day]);
    expect((await home.latestCheckpoint())?.atMs).toBe(start + 2 * day);
  });

  test('two at the same moment are both kept, and what is not known is null', async () => {
    const home = newHome();
    await Promise.all([home.addCheckpoint(at(7, { plan: null })), home.addCheckpoint(at(7, { balanceNano: -1 }))]);
    expect(await home.checkpointsSince(7)).toHaveLength(2);
  });
});

describe('keys', () => {
  const keys = homeKeys('default');

  test('the layout', () => {
    const ref = { batch: 'b', id: 'row-1', n: 3 };
    expect(keys.attempt(ref, 1)).toMatch(/^default\/batches\/b\/attempts\/[0-9a-f]{2}\/row-1\/0003\.001\.json$/);
    expect(keys.record('b', 'row-1')).toMatch(/^default\/batches\/b\/records\/[0-9a-f]{2}\/row-1\.json$/);
    expect(keys.part('b', 'g', 12)).toBe('default/batches/b/rows/g/000012.jsonl');
    expect(keys.open(ref)).toBe('default/open/b/row-1.0003.json');
    expect(keys.balance(1_700_000_000_123, 'ff')).toBe('default/balance/1700000000000/1700000000123-ff.json');
    expect(keys.charge(ref, 1_700_000_123_456)).toBe('default/book/1699999800000/b/row-1.0003.json');
  });

  test('what is written can be parsed', () => {
    expect(parseAttemptName('0003.001.json')).toEqual({ n: 3, seq: 1 });
    expect(parseAttemptName('10000.1000.json')).toEqual({ n: 10_000, seq: 1_000 });
    expect(parseAttemptName('notes.json')).toBeUndefined();
    expect(parseIndexKey(keys.opens, 'default/open/b/a.0001.0002.json')).toEqual({ batch: 'b', id: 'a.0001', n: 2 });
    expect(parseIndexKey(keys.opens, 'default/open/b')).toBeUndefined();
  });

  test.each(['../x', 'a/b', '', '.x', 'a b'])('a batch or id %j never becomes a path', (name) => {
    expect(() => keys.batch(name)).toThrow(/not a safe name/);
    expect(() => keys.record('b', name)).toThrow(/not a safe name/);
    expect(() => homeKeys(name)).toThrow(/not a safe name/);
  });
});
