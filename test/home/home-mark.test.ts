// The mark beside the outputs tells of the home that a batch was run from (design 8: an empty home is never believed).

import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Home, openHome } from '../../src/home/home.js';
import { type Claimer, homeMismatch, newClaimer, writeHomeMark } from '../../src/home/home-mark.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';

let folder: string;
let out: Store;
const place = (name: string) => join(folder, name);
const homeAt = (name: string, account = 'default'): Home => openHome(createFolderStore(place(name)), account);

const mark = (home: Home, claimer: Claimer = newClaimer(), atMs = 5) =>
  writeHomeMark(out, home, { batch: 'b', claimer, atMs });

async function use(home: Home, atMs: number): Promise<void> {
  await home.bindBaseUrl('https://service.example');
  await home.addCheckpoint({ atMs, balanceNano: 1, rpm: null, concurrent: null, plan: null });
  await mark(home);
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

describe('6-O1: a copy of a home', () => {
  test('is told by its claims, sooner than by a reading of the balance, and by no clock', async () => {
    const claimer = newClaimer();
    await use(homeAt('home'), 5);
    await mark(homeAt('home'), claimer, 100_000);
    cpSync(place('home'), place('copy'), { recursive: true });
    expect(await homeMismatch(out, homeAt('copy'), 'b')).toBeUndefined();
    await mark(homeAt('home'), claimer, 90_000);
    expect(await homeMismatch(out, homeAt('copy'), 'b')).toBe('older');
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBeUndefined();
  });

  test('that goes on is told to the home that it was made of', async () => {
    await use(homeAt('home'), 5);
    cpSync(place('home'), place('copy'), { recursive: true });
    await mark(homeAt('copy'));
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBe('older');
    expect(await homeMismatch(out, homeAt('copy'), 'b')).toBeUndefined();
  });

  test('two processes of one home know each other, whatever their clocks say', async () => {
    await use(homeAt('home'), 5);
    const [one, two] = [newClaimer(), newClaimer()];
    await Promise.all([mark(homeAt('home'), one, 9_000), mark(homeAt('home'), one, 1), mark(homeAt('home'), two, 7)]);
    expect(await homeMismatch(out, homeAt('home'), 'b')).toBeUndefined();
  });

  test('a mark of an older build is compared with its own note', async () => {
    const home = homeAt('home');
    await use(home, 5);
    const claimed = (atMs: number) => Buffer.from(JSON.stringify({ schema: 1, atMs }));
    const old = { schema: 1, homeId: await home.homeId(), seenMs: 5, claimedMs: 100_000 };
    await out.put('b/home-default.json', Buffer.from(JSON.stringify(old)));
    await home.store.put(home.keys.claimed, claimed(96_000));
    expect(await homeMismatch(out, home, 'b')).toBeUndefined();
    await home.store.put(home.keys.claimed, claimed(94_000));
    expect(await homeMismatch(out, home, 'b')).toBe('older');
  });
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
    await writeHomeMark(out, homeAt('unused'), { batch: 'c', claimer: newClaimer(), atMs: 5 });
    expect(await out.names('c')).toEqual([]);
  });
});
