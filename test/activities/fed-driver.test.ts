// The length of a driver clip is what motion control is billed by, and must be sent (service document 2, Motion control):
// of a film that feeds it, the real length counts (design 9, References).
import { expect, it } from 'vitest';
import { makeMp4 } from '../../emulator/media/media-mp4.js';
import type { Row } from '../../src/domain/row.js';
import { fedRow, lacksDriverLength } from '../../src/home/feeders.js';
import { fed } from '../support/chain-rows.js';
import { imageRow } from '../support/stack.js';
import { fedByFilm } from './support/fed-row.js';

const motion = (cells: Row['cells']): Row =>
  imageRow('move', {
    ...{ index: 1, kind: 'vendor-a/motion-control', cells: { character_orientation: 'image', ...cells } },
    media: { image: [{ source: 'url', url: 'https://example.com/a.png' }], video: [fed('film', 0)] },
  });

const FILM = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: 10, sha256: 'f'.repeat(64) };

const SIX_SECONDS = await makeMp4({ width: 480, height: 480, frames: 24 * 6, audio: false });

it('a driver whose record does not say its length, as of a bucket, is as long as its bytes say', async () => {
  const { fetchInputs, sent } = await fedByFilm(motion({}), { bytes: SIX_SECONDS });
  expect(await fetchInputs(1)).toBe(true);
  expect((await sent()).cells.input_video_seconds).toBe(6);
});

it('a driver whose length nothing tells is not sent without one', async () => {
  const { fetchInputs } = await fedByFilm(motion({}), { bytes: SIX_SECONDS.subarray(0, 64) });
  expect(await fetchInputs(1)).toEqual({
    reason: 'input_unfit',
    text: 'media/film.mp4 of row film: how long it is cannot be read in it: with a number in input_video_seconds the row can run',
  });
});

it.each([
  ['of the file, rounded up', {}, { ...FILM, durationSeconds: 5.4 }, 6],
  ['of the cell, before the one of the file', { input_video_seconds: 3 }, { ...FILM, durationSeconds: 5.4 }, 3],
  ['of the cell', { input_video_seconds: 3 }, FILM, 3],
  ['of neither', {}, FILM, undefined],
])('the length %s', (_name, cells, file, declared) => {
  const feeder = { media: fed('film', 0), row: imageRow('film'), record: undefined, file };
  const row = fedRow(motion(cells), [feeder]);
  expect(row.cells.input_video_seconds).toBe(declared);
  expect(lacksDriverLength(row)).toBe(declared === undefined);
});
