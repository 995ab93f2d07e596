// The mark beside the outputs tells of the home that a batch was run from (design 8: an empty home is never believed).
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFolderStore } from '../../src/store/folder.js';
import { type Home, openHome } from '../../src/store/home.js';
import { homeMismatch, noteClaims, writeHomeMark } from '../../src/store/home-mark.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from './support/temporary.js';

let folder: string;
let out: Store;
const place = (name: string) => join(folder, name);
const homeAt = (name: string, account = 'default'): Home => openHome(createFolderStore(place(name)), account);

async function use(home: Home, atMs: number): Promise<void> {
  await home.bindBaseUrl('https://service.example');
  await home.addCheckpoint({ atMs, balanceNano: 1, rpm: null, concurrent: null, plan: null });
  await writeHomeMark(out, home, 'b');
}

beforeEach(() => {
  folder = temporaryFolder();
  out = createFolderStore(place('out'));
});

describe('3-R15, 6-O1: a home that is not the one', () => {
  test('an empty one, and another one in its place', async () => {
    await use(homeAt('home'), 5);
    rmSync(place('home'), { recursive: true });
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBe('another');
    await homeAt('home').bindBaseUrl('https://service.example');
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBe('another');
  });

  test('one that was restored from a copy of an earlier day', async () => {
    await use(homeAt('home'), 5);
    cpSync(place('home'), place('copy'), { recursive: true });
    await use(homeAt('home'), 6);
    expect(await homeMismatch(out, homeAt('copy'), 'b')).toBe('older');
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBeUndefined();
  });
});

test('6-O1: an earlier state is told by its claims, sooner than by a reading of the balance', async () => {
  await use(homeAt('home'), 5);
  await noteClaims(homeAt('home'), 100_000);
  await writeHomeMark(out, homeAt('home'), 'b');
  cpSync(place('home'), place('copy'), { recursive: true });
  expect(await homeMismatch(out, homeAt('copy'), 'b')).toBeUndefined();
  await noteClaims(homeAt('home'), 106_000);
  await writeHomeMark(out, homeAt('home'), 'b');
  expect(await homeMismatch(out, homeAt('copy'), 'b')).toBe('older');
  expect(await homeMismatch(out, homeAt('home'), 'b')).toBeUndefined();
});

describe('nothing is said of', () => {
  test('the same home, and the same home that has gone on', async () => {
    const home = homeAt('home');
    await use(home, 5);
    expect(await homeMismatch(out, home, 'b')).toBeUndefined();
    await home.addCheckpoint({ atMs: 9, balanceNano: 1, rpm: null, concurrent: null, plan: null });
    expect(await homeMismatch(out, home, 'b')).toBeUndefined();
  });

  test('a home that was moved', async () => {
    await use(homeAt('home'), 5);
    renameSync(place('home'), place('elsewhere'));
    expect(await homeMismatch(out, homeAt('elsewhere'), 'b')).toBeUndefined();
  });

  test('another account, a rehearsal, another batch, and outputs that were deleted or never marked', async () => {
    await use(homeAt('home'), 5);
    expect(await homeMismatch(out, homeAt('home', 'second'), 'b')).toBeUndefined();
    expect(await homeMismatch(out, homeAt('other', 'rehearsal-4010'), 'b')).toBeUndefined();
    expect(await homeMismatch(out, homeAt('other'), 'c')).toBeUndefined();
    rmSync(place('out'), { recursive: true });
    expect(await homeMismatch(out, homeAt('other'), 'b')).toBeUndefined();
  });

  test('a mark that cannot be read, and a home that was never used', async () => {
    await use(homeAt('home'), 5);
    await out.put('b/home-default.json', Buffer.from('{'));
    expect(await homeMismatch(out, homeAt('other'), 'b')).toBeUndefined();
    await writeHomeMark(out, homeAt('unused'), 'c');
    expect(await out.names('c')).toEqual([]);
  });
});
