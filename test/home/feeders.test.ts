import { expect, test } from 'vitest';
import type { OutputFile } from '../../src/domain/outcome.js';
import type { FedMedia, Row } from '../../src/domain/row.js';
import { type Feeder, fedRow } from '../../src/home/feeders.js';

const media: FedMedia = { source: 'row', id: 'film', at: 0 };
const dance: Row = {
  ...{ index: 1, line: 3, id: 'dance', kind: 'vendor-a/motion-control', stem: 'dance', hash: 'hash-dance' },
  ...{ cells: { character_orientation: 'video' }, media: { video: [media] } },
};

function film(durationSeconds: number): Feeder {
  const file: OutputFile = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: 9, sha256: 'f', durationSeconds };
  return { media, row: undefined, record: undefined, file };
}

test.each([
  [0.4, 1],
  [5.04, 5],
  [5.2, 6],
  [15, 10],
])('2-D6: of a film of %d s that feeds motion control %d s are declared: 1 to 10', (length, declared) => {
  expect(fedRow(dance, [film(length)]).cells.input_video_seconds).toBe(declared);
});

test('a length that the manifest declares stays', () => {
  const declared = { ...dance, cells: { ...dance.cells, input_video_seconds: 3 } };
  expect(fedRow(declared, [film(5)]).cells.input_video_seconds).toBe(3);
});
