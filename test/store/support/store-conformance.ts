import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type PendingFile, type Store, StoreError } from '../../../src/store/port.js';
import { collect, streamOf } from './temporary.js';

/** What every store must do, whatever is behind it. A store's own test has only what is peculiar to it. */
export function storeConformance(name: string, makeStore: () => Promise<Store>, exceptions: Exceptions = {}): void {
  describe(`${name}: single keys`, () => singleKeys(makeStore));
  describe(`${name}: listing and moving`, () => listing(makeStore));
  describe(`${name}: streams`, () => streams(makeStore, exceptions));
}

export interface Exceptions {
  /** The store cannot arbitrate between two different streams for one name at the same moment. */
  sharedStreamNames?: boolean;
}

const RANGE = { start: 1, end: 3 };
const bytes = (text: string) => Buffer.from(text);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const textOf = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value).toString());

function singleKeys(makeStore: () => Promise<Store>): void {
  test('put writes and replaces; get gives the bytes back; an absent key is undefined', async () => {
    const store = await makeStore();
    expect(await store.get('a/b/c.json')).toBeUndefined();
    await store.put('a/b/c.json', bytes('one'));
    await store.put('a/b/c.json', bytes('two'));
    expect(textOf(await store.get('a/b/c.json'))).toBe('two');
    await store.put('a/b/empty', new Uint8Array());
    expect((await store.get('a/b/empty'))?.length).toBe(0);
  });

  test('putIfAbsent writes once and never over what is there', async () => {
    const store = await makeStore();
    expect(await store.putIfAbsent('x/claim', bytes('mine'))).toBe(true);
    expect(await store.putIfAbsent('x/claim', bytes('yours'))).toBe(false);
    expect(textOf(await store.get('x/claim'))).toBe('mine');
  });

  test('putAllIfAbsent answers for each key, in order', async () => {
    const store = await makeStore();
    await store.put('q/2', bytes('old'));
    const entries = ['q/1', 'q/2', 'r/s/3'].map((key) => ({ key, bytes: bytes('new') }));
    expect(await store.putAllIfAbsent(entries)).toEqual([true, false, true]);
    expect(textOf(await store.get('q/2'))).toBe('old');
    expect(textOf(await store.get('r/s/3'))).toBe('new');
  });

  test('of many claims of one key at once exactly one wins', async () => {
    const store = await makeStore();
    for (let round = 0; round < 5; round++) {
      const claims = Array.from({ length: 12 }, (_, i) => store.putIfAbsent(`race/${round}`, bytes(`claim ${i}`)));
      const won = await Promise.all(claims);
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(textOf(await store.get(`race/${round}`))).toBe(`claim ${won.indexOf(true)}`);
    }
  });

  test('size, stat and read say what is there', async () => {
    const store = await makeStore();
    await store.put('f.bin', bytes('hello'));
    expect(await store.size('f.bin')).toBe(5);
    expect(await store.stat('f.bin')).toMatchObject({ bytes: 5, sha256: sha256('hello') });
    const stream = await store.read('f.bin');
    expect(Buffer.concat(await collect(stream ?? streamOf())).toString()).toBe('hello');
    expect(await store.size('g.bin')).toBeUndefined();
    expect(await store.stat('g.bin')).toBeUndefined();
    expect(await store.read('g.bin')).toBeUndefined();
  });

  test('a part is read by itself', async () => {
    const store = await makeStore();
    await store.put('f.bin', bytes('hello'));
    const part = async (key: string) => Buffer.concat(await collect((await store.read(key, RANGE)) ?? streamOf()));
    expect([(await part('f.bin')).toString(), (await part('g.bin')).toString()]).toEqual(['ell', '']);
  });

  test('remove removes, and an absent key is no error', async () => {
    const store = await makeStore();
    await store.put('open/1', bytes('x'));
    await store.remove('open/1');
    await store.remove('open/1');
    await store.remove('never/was');
    expect(await store.get('open/1')).toBeUndefined();
  });

  test.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', '.hidden', 'a/.x', 'a.', 'a..b', 'a b', 'a\\b', 'ä', 'a\0'])(
    'the key %j is refused everywhere',
    async (key) => {
      const store = await makeStore();
      const refused = { name: 'StoreError', code: 'BAD_KEY' };
      await expect(store.put(key, bytes('x'))).rejects.toMatchObject(refused);
      await expect(store.putIfAbsent(key, bytes('x'))).rejects.toMatchObject(refused);
      await expect(store.get(key)).rejects.toMatchObject(refused);
      await expect(store.putStream(key, streamOf('x'), { attemptName: 'a', ifExists: 'fail' })).rejects.toMatchObject(
        refused,
      );
    },
  );

  test('probe finds a good store good and leaves nothing behind', async () => {
    const store = await makeStore();
    await store.probe();
    expect(await collect(store.list(''))).toEqual([]);
  });
}

function listing(makeStore: () => Promise<Store>): void {
  test('list gives all keys in code-unit order, names the next level', async () => {
    const store = await makeStore();
    const keys = ['b/a/1', 'b/a-1', 'b/a.json', 'b/a1', 'b/B', 'b/_', 'c', 'b2/x'];
    for (const key of keys) await store.put(key, bytes(key));
    expect(await collect(store.list('b'))).toEqual(['b/B', 'b/_', 'b/a-1', 'b/a.json', 'b/a/1', 'b/a1']);
    expect(await collect(store.list(''))).toEqual([...keys].sort());
    expect(await store.names('b')).toEqual(['B', '_', 'a', 'a-1', 'a.json', 'a1']);
    expect(await store.names('nothing')).toEqual([]);
    expect(await collect(store.list('nothing/here'))).toEqual([]);
  });

  test('removeAll removes every key below, and nothing beside', async () => {
    const store = await makeStore();
    for (const key of ['a/b/1', 'a/b/c/2', 'a/b2', 'a/3']) await store.put(key, bytes(key));
    await store.removeAll('a/b');
    await store.removeAll('never/was');
    expect(await collect(store.list(''))).toEqual(['a/3', 'a/b2']);
    expect(await store.names('a')).toEqual(['3', 'b2']);
    await store.put('a/b/1', bytes('again'));
    expect(await store.names('a')).toEqual(['3', 'b', 'b2']);
  });

  test('moveAll moves every key, also over what is there', async () => {
    const store = await makeStore();
    await store.put('in/0', bytes('new 0'));
    await store.put('in/deep/1', bytes('new 1'));
    await store.moveAll('in', 'rows/final');
    expect(await collect(store.list(''))).toEqual(['rows/final/0', 'rows/final/deep/1']);
    await store.put('in/0', bytes('newer 0'));
    await store.put('in/2', bytes('new 2'));
    await store.moveAll('in', 'rows/final');
    expect(await collect(store.list(''))).toEqual(['rows/final/0', 'rows/final/2', 'rows/final/deep/1']);
    expect(textOf(await store.get('rows/final/0'))).toBe('newer 0');
    await store.put('in/0', bytes('again'));
    expect(textOf(await store.get('in/0'))).toBe('again');
    await store.moveAll('absent', 'rows/other');
    expect(await store.names('rows')).toEqual(['final']);
  });
}

function streams(makeStore: () => Promise<Store>, { sharedStreamNames = false }: Exceptions): void {
  const options = { attemptName: 'row-1', ifExists: 'fail' } as const;

  test('a stream of any length lands whole with its facts', async () => {
    const store = await makeStore();
    const piece = Buffer.alloc(300_000, 7);
    const whole = Buffer.concat([piece, piece, piece, piece, piece, bytes('end')]);
    const stored = await store.putStream('o/m.bin', streamOf(piece, piece, piece, piece, piece, 'end'), options);
    const hash = createHash('sha256').update(whole).digest('hex');
    expect(stored).toMatchObject({ key: 'o/m.bin', bytes: whole.length, sha256: hash, wasThere: false });
    expect(await store.stat('o/m.bin')).toMatchObject({ bytes: whole.length, sha256: hash });
  });

  test('beforeCommit sees the facts and the head while the key is absent', async () => {
    const store = await makeStore();
    let seen: PendingFile | undefined;
    let visible: Uint8Array | undefined = bytes('?');
    const beforeCommit = async (file: PendingFile) => {
      seen = file;
      visible = await store.get('o/a.txt');
    };
    await store.putStream('o/a.txt', streamOf('he', 'llo'), { ...options, beforeCommit });
    expect(seen).toMatchObject({ bytes: 5, sha256: sha256('hello') });
    expect(textOf(seen?.head)).toBe('hello');
    expect(visible).toBeUndefined();
  });

  test('what beforeCommit refuses leaves nothing, and its error comes out as it is', async () => {
    const store = await makeStore();
    const refusal = new TypeError('not what it claims to be');
    const beforeCommit = () => Promise.reject(refusal);
    const attempt = store.putStream('o/a.txt', streamOf('hello'), { ...options, beforeCommit });
    await expect(attempt).rejects.toBe(refusal);
    expect(await collect(store.list(''))).toEqual([]);
  });

  test('a source that breaks leaves nothing, and its error comes out as it is', async () => {
    const store = await makeStore();
    const failure = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    async function* broken() {
      yield bytes('hel');
      throw failure;
    }
    await expect(store.putStream('o/a.txt', broken(), options)).rejects.toBe(failure);
    expect(await store.get('o/a.txt')).toBeUndefined();
  });

  test('an equal file under the name is ours; another one is never touched', async () => {
    const store = await makeStore();
    await store.put('o/a.txt', bytes('hello'));
    expect(await store.putStream('o/a.txt', streamOf('hello'), options)).toMatchObject({ wasThere: true });
    const attempt = store.putStream('o/a.txt', streamOf('other'), options);
    await expect(attempt).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(attempt).rejects.toBeInstanceOf(StoreError);
    expect(textOf(await store.get('o/a.txt'))).toBe('hello');
  });

  test('replace replaces', async () => {
    const store = await makeStore();
    await store.put('results.csv', bytes('old'));
    await store.putStream('results.csv', streamOf('new'), { attemptName: 'r', ifExists: 'replace' });
    expect(textOf(await store.get('results.csv'))).toBe('new');
  });

  test('nextKey finds the next free name, or the one that holds the same bytes', async () => {
    const store = await makeStore();
    await store.put('o/a.txt', bytes('first'));
    const versioned = { ...options, nextKey: (n: number) => `o/a.v${n}.txt` };
    expect(await store.putStream('o/a.txt', streamOf('second'), versioned)).toMatchObject({ key: 'o/a.v2.txt' });
    expect(await store.putStream('o/a.txt', streamOf('third'), versioned)).toMatchObject({ key: 'o/a.v3.txt' });
    const again = await store.putStream('o/a.txt', streamOf('second'), versioned);
    expect(again).toMatchObject({ key: 'o/a.v2.txt', wasThere: true });
  });

  test.skipIf(sharedStreamNames)('two different files for one name at once: one gets it, whole', async () => {
    const store = await makeStore();
    const tries = ['first', 'second'].map((text) =>
      store.putStream('o/a.txt', streamOf(text), { attemptName: text, ifExists: 'fail' }),
    );
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = outcomes[0]?.status === 'fulfilled' ? 'first' : 'second';
    expect(textOf(await store.get('o/a.txt'))).toBe(winner);
  });
}
