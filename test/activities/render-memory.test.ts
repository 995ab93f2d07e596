// What renders took is remembered by what they were asked for, in the home too.
import { expect, test } from 'vitest';
import { openRenderMemory } from '../../activities/row/render-memory.js';
import type { Row } from '../../src/domain/row.js';
import { openHome } from '../../src/home/home.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { imageRow } from '../support/stack.js';

const film = (seconds: number, model = 'vendor-a-fast'): Row => ({
  ...imageRow('one'),
  kind: 'vendor-a/image2video',
  cells: { model, duration: seconds },
});

function remember() {
  const store = createFolderStore(temporaryFolder());
  const warnings: string[] = [];
  const log = { warn: (_: object, text: string) => warnings.push(text) };
  const place = { clockMs: 0 };
  const open = () =>
    openRenderMemory({ home: openHome(store, 'a'), log: log as never, monotonic: () => place.clockMs });
  return { open, place, store, warnings };
}

test('clips of five seconds say nothing of clips of ten, nor one model of another', async () => {
  const memory = remember().open();
  for (let i = 0; i < 3; i += 1) await memory.note(film(5), [55_000, 60_000]);
  expect(await memory.expected(film(5), 1)).toMatchObject({ p50: 60_000, fromMs: 60_000 });
  expect(await memory.expected(film(10), 1)).toBeNull();
  expect(await memory.expected(film(5, 'vendor-a-slow'), 1)).toBeNull();
});

test('a worker that starts knows what others have seen; what is damaged is begun anew', async () => {
  const { open, place, store, warnings } = remember();
  const first = open();
  for (let i = 0; i < 3; i += 1) {
    place.clockMs += 60_000;
    await first.note(film(5), [55_000, 60_000]);
  }
  expect(await open().expected(film(5), 1)).toMatchObject({ p50: 60_000 });
  await store.put('a/render-times.json', Buffer.from('{'));
  expect(await open().expected(film(5), 1)).toBeNull();
  expect(warnings).toEqual([]);
});

test('a home that takes nothing costs no render: what was seen stays in memory', async () => {
  const { open, place, store, warnings } = remember();
  store.put = () => Promise.reject(new Error('the disk is full'));
  const memory = open();
  for (let i = 0; i < 3; i += 1) {
    place.clockMs += 60_000;
    await memory.note(film(5), [55_000, 60_000]);
  }
  expect(await memory.expected(film(5), 1)).toMatchObject({ p50: 60_000 });
  expect(warnings).toHaveLength(3);
});

test('no more than a hundred sorts are kept: those that were seen lately', async () => {
  const memory = remember().open();
  for (let i = 0; i < 3; i += 1) await memory.note(film(5), [55_000, 60_000]);
  for (let k = 0; k < 99; k += 1) for (let i = 0; i < 3; i += 1) await memory.note(film(5, `m${k}`), [55_000, 60_000]);
  expect(await memory.expected(film(5), 1)).not.toBeNull();
  await memory.note(film(5, 'one-more'), [55_000, 60_000]);
  expect(await memory.expected(film(5), 1)).toBeNull();
});

test('two workers of a home leave each other what they have seen', async () => {
  const { open } = remember();
  const [one, two] = [open(), open()];
  for (let i = 0; i < 3; i += 1) {
    await one.note(film(5), [55_000, 60_000]);
    await two.note(film(10), [85_000, 90_000]);
  }
  const third = open();
  expect(await third.expected(film(5), 1)).toMatchObject({ p50: 60_000 });
  expect(await third.expected(film(10), 1)).toMatchObject({ p50: 90_000 });
});

test('a home that could not be read at first is read later, and loses nothing', async () => {
  const { open, store, warnings } = remember();
  const first = open();
  for (let i = 0; i < 3; i += 1) await first.note(film(5), [55_000, 60_000]);
  const get = store.get;
  store.get = () => Promise.reject(new Error('the disk reports an error'));
  const second = open();
  expect(await second.expected(film(5), 1)).toBeNull();
  await second.note(film(5), [85_000, 90_000]);
  store.get = get;
  await second.note(film(10), [85_000, 90_000]);
  expect(await second.expected(film(5), 1)).toMatchObject({ p50: 60_000 });
  expect(await open().expected(film(5), 1)).toMatchObject({ p50: 60_000 });
  expect(warnings.length).toBeGreaterThan(0);
});

test('avatars that speak for about as long count alike', async () => {
  const memory = remember().open();
  const avatar = (seconds: number): Row => {
    const { cells: _, ...rest } = imageRow('one');
    const text = 'word '.repeat(Math.round(seconds * 2.5));
    return { ...rest, kind: 'vendor-b/avatar', cells: { script: text } };
  };
  for (let i = 0; i < 3; i += 1) await memory.note(avatar(60), [600_000, 620_000]);
  expect(await memory.expected(avatar(62), 1)).not.toBeNull();
  expect(await memory.expected(avatar(600), 1)).toBeNull();
});
