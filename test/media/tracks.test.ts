// Films that lead their reader astray (design: strange answers): the process goes on, and the next film is read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTracks } from '../../src/media/tracks.js';

const FILM = join(import.meta.dirname, '..', 'store', 'fixtures', 'fast.mp4');
const facts = { width: 48, height: 32, seconds: 1 };

/** The run of equal times that the index begins with is said to have so many samples. */
function withSamples(count: number): Buffer {
  const film = Buffer.from(readFileSync(FILM));
  film.writeUInt32BE(count, film.indexOf('stts') + 12);
  return film;
}

test('a film is read by its path and by its bytes, several at once', async () => {
  const bytes = readFileSync(FILM);
  const asked = [FILM, bytes, FILM].map((file) => readTracks({ file, length: 'said' }));
  expect(await Promise.all(asked)).toEqual([facts, facts, facts]);
  expect(await readTracks({ file: bytes, length: 'counted' })).toMatchObject({ seconds: expect.closeTo(1, 1) });
});

test('what is no film, and what is not there, is unreadable', async () => {
  expect(await readTracks({ file: Buffer.from('no film at all'), length: 'said' })).toBe('unreadable');
  expect(await readTracks({ file: join(FILM, 'none.mp4'), length: 'said' })).toBe('unreadable');
});

/** A table of as many samples that takes no bytes: one array that grows until nothing is left. */
function withEndlessTable(): Buffer {
  const film = Buffer.from(readFileSync(FILM));
  const at = film.indexOf('stsz');
  film.write('stz2', at, 'latin1');
  film.writeUInt32BE(0, at + 8);
  film.writeUInt32BE(0xff_ff_ff_ff, at + 12);
  return film;
}

test('a film whose index takes all memory is given up, and the next one is read', async () => {
  expect(await readTracks({ file: withEndlessTable(), length: 'counted' })).toBe('unknown');
  expect(await readTracks({ file: FILM, length: 'said' })).toEqual(facts);
});

test.each([0x7f_ff_ff_ff, 0xff_ff_ff_ff])(
  'a film of %d samples is given up, and the next one is read',
  async (count) => {
    expect(await readTracks({ file: withSamples(count), length: 'counted' })).toBe('unknown');
    expect(await readTracks({ file: FILM, length: 'said' })).toEqual(facts);
  },
);

test('a film whose reader would never end is given up, and the next one is read', async () => {
  const film = readFileSync(join(import.meta.dirname, '..', 'store', 'fixtures', 'a.webm'));
  // The length of the element Info, as EBML writes it: no number begins with a zero byte.
  film[film.lastIndexOf(Buffer.from([0x15, 0x49, 0xa9, 0x66])) + 4] = 0;
  const [lost, found] = await Promise.all([
    readTracks({ file: film, length: 'said' }),
    readTracks({ file: FILM, length: 'said' }),
  ]);
  expect([lost, found]).toEqual(['unknown', facts]);
});
