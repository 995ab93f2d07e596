// F46a: an output folder that was away is there again: what was stored is taken as it lies, before anything is paid again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { awaitAgain } from '../../src/cli/batch/lost-files.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { resultsDue } from '../../src/home/batch-marks.js';
import { keepRenders } from '../../src/home/past-renders.js';
import { sha256 } from '../download/broken-server.js';
import { CREDIT, type SeededHome, seededHome, T0 } from './seeded-home.js';

const FILM = Buffer.from('a film');
const FILE = { file: 'media/one.mp4', contentType: 'video/mp4', bytes: FILM.length, sha256: sha256(FILM) };
const STATES: AttemptState[] = [
  { state: 'created', atMs: T0 + 1_000, handle: 'h-1' },
  { state: 'rendered', atMs: T0 + 9_000, outputs: [{ url: 'http://127.0.0.1:9/film.mp4' }], facts: {} },
];
const DONE = { files: [FILE], submittedAtMs: T0, creditsNano: CREDIT, rowHash: 'hash' };

let home: SeededHome;
let done: RowRecord;
/** As nothing gave the file any more while its folder was away. */
let lost: RowRecord;
beforeEach(async () => {
  home = await seededHome('b', [{ id: 'one', row: { hash: 'hash' }, states: STATES, record: DONE }]);
  done = await recordOf();
  await awaitAgain(home as never, 'b', [{ record: done, file: FILE.file, flaw: 'gone', mayComeAgain: true }]);
  const awaited = await recordOf();
  expect(awaited).toMatchObject({ status: 'review', reasonCode: 'output_pending', files: [] });
  const ended: RowRecord = { ...awaited, status: 'lost_paid', reasonCode: 'output_expired' };
  lost = keepRenders(awaited, ended, ended);
  await home.records.writeRecord('b', lost);
});

async function recordOf(): Promise<RowRecord> {
  const record = await home.records.readRecord('b', 'one');
  if (record === undefined) throw new Error('the row has no record');
  return record;
}

function putBack(bytes = FILM): void {
  mkdirSync(join(home.folder, 'out', 'b', 'media'), { recursive: true });
  writeFileSync(join(home.folder, 'out', 'b', FILE.file), bytes);
}

test('`retry` takes it, says so and writes the results, without any request', async () => {
  putBack();
  const { exitCode, stderr } = await home.run('retry', 'b', '--yes');
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('1 file is there again as stored in out/b: media/one.mp4; 1 row is done');
  expect(await recordOf()).toEqual(done);
  expect(readFileSync(join(home.folder, 'out', 'b', 'results.csv'), 'utf8')).toContain('done');
});

test('`review` says first that the files mend it when they are put back; once they are, nothing is paid again', async () => {
  const sentence = (how: string) =>
    new RegExp(`1 file is ${how} in out/b \\(media/one\\.mp4\\).*\`callsheet retry b --class output.*\` takes it`);
  expect((await home.run('review', 'list')).stderr).toMatch(sentence('not there as stored'));
  expect((await home.run('review', 'show', 'b', 'one')).stdout).toMatch(sentence('not there as stored'));
  expect((await home.run('review', 'resubmit', 'b', 'one')).stderr).toMatch(sentence('not there as stored'));
  putBack();
  expect((await home.run('review', 'list')).stderr).toMatch(sentence('there again as stored'));
  const { exitCode, stderr } = await home.run('review', 'resubmit', 'b', 'one', '--yes');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/what was stored of it is there again, `callsheet retry /),
  ]);
  expect(await home.ledger.read('b', 'one')).toMatchObject([{ states: { length: 3 } }]);
});

test('results that were not written when it was taken are written by whoever tells of the batch next', async () => {
  putBack();
  await home.records.writeRecord('b', done);
  const results = join(home.folder, 'out', 'b', 'results.csv');
  writeFileSync(results, 'as it was before');
  await resultsDue.write(home.home, { schema: 1, atMs: T0 }, 'b');
  expect((await home.run('retry', 'b', '--yes')).exitCode).toBe(0);
  expect(readFileSync(results, 'utf8')).toContain('done');
  expect(await resultsDue.read(home.home, 'b')).toBeUndefined();
});

test('neither other bytes nor a row that is being paid again by order are taken', async () => {
  putBack(Buffer.from('b film'));
  expect((await home.run('review', 'resubmit', 'b', 'one')).stderr).toContain('say --yes');
  putBack();
  const by = { who: 'ann' };
  await home.ledger.append({ batch: 'b', id: 'one', n: 1 }, { state: 'overridden', atMs: T0, cause: 'person', by });
  expect((await home.run('retry', 'b')).stderr).not.toContain('there again');
  expect(await recordOf()).toEqual(lost);
});
