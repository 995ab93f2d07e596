// B46: an output whose name no bucket and no disk takes is refused before it is paid for (design: bad input).
import { expect, test } from 'vitest';
import { roomForName } from '../../src/cli/plan/check-manifest.js';
import { checkText, csv } from '../manifest/support.js';

const long = 'n'.repeat(120);
const nine = Array.from({ length: 9 }, () => long).join('/');

test('a name longer than its place takes is refused with its row', async () => {
  const text = csv({ id: 'a', kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox', output: nine });
  const { passed, printed } = await checkText(text, { nameCharactersMax: roomForName('s3://bucket/team', 'shots') });
  expect(passed).toEqual([]);
  expect(printed).toEqual(['<stdin>:2:5: B46 the output name is 1088 characters with its folders; 987 fit']);
  expect((await checkText(text, { nameCharactersMax: roomForName('/data/out', 'shots') })).passed).toHaveLength(1);
});

test('the longest key and path are those of the place, in bytes', () => {
  expect(roomForName('s3://bucket', 'b')).toBe(1_024 - 'b/media/'.length - 20);
  expect(roomForName('s3://bucket/é', 'b')).toBe(1_024 - 'é_/b/media/'.length - 20);
  expect(roomForName('/out', 'b', 'linux')).toBe(4_095 - '/out/b/media/'.length - 140);
  expect(roomForName('/out', 'b', 'darwin')).toBe(1_023 - '/out/b/media/'.length - 140);
});
