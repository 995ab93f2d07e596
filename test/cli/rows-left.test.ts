// What a batch that has ended still waits for is told with the command that goes on (design 8, 9).

import { expect, test } from 'vitest';
import { finalRows, readRowsLeft } from '../../src/cli/batch/final-rows.js';
import { resultLines } from '../../src/home/result-lines.js';
import { noteReruns } from '../../src/home/row-orders.js';
import { fed } from '../support/chain-rows.js';
import { CREDIT, type SeededRow, seededHome, T0 } from './seeded-home.js';

const FILE = { file: 'media/a.mp4', contentType: 'video/mp4', bytes: 3, sha256: 'f' };
const after = (id: string, feeder: string, at: number, record?: SeededRow['record']): SeededRow => ({
  ...{ id, row: { media: { image: [fed(feeder, at)] } } },
  ...(record && { record }),
});
const nextOf = async (home: Awaited<ReturnType<typeof seededHome>>) => {
  const { stdout, stderr } = await home.run('status', 'b', '--json');
  expect(stderr).not.toContain('error');
  return JSON.parse(stdout);
};

test('rows behind a changed file name the order that takes it, those that they feed too', async () => {
  const home = await seededHome('b', [
    { id: 'a', record: { files: [FILE] } },
    after('b', 'a', 0, { status: 'not_started', reasonCode: 'input_changed', attempts: 0 }),
    after('c', 'b', 1, { status: 'not_started', reasonCode: 'upstream_failed', attempts: 0 }),
    after('d', 'c', 2),
  ]);
  const status = await nextOf(home);
  expect(status.left).toMatchObject({ starts: { 'accept inputs': 3 } });
  expect(status.next).toContain('callsheet retry b --accept-inputs ');
});

test('rows behind one that a person gave up name the order that pays for that again', async () => {
  const home = await seededHome('b', [
    { id: 'a', record: { status: 'lost_paid', reasonCode: 'marked_lost' } },
    after('b', 'a', 0, { status: 'not_started', reasonCode: 'upstream_review', attempts: 0 }),
    after('c', 'b', 1),
  ]);
  const status = await nextOf(home);
  expect(status.left).toMatchObject({ starts: { review: 2 }, givenUp: 'a' });
  expect(status.next).toContain('callsheet review resubmit b a ');
});

test('rows that keep their earlier file are counted', async () => {
  const home = await seededHome('b', [
    { id: 'a', record: { files: [FILE], flags: ['rerun_failed'], rerunFailedFor: 'render_failed' } },
  ]);
  await noteReruns(home.home, 'b', ['a']);
  const { stdout } = await home.run('status', 'b');
  expect(stdout).toContain('earlier   1 row keeps its earlier file: another render brought nothing (rerun_failed)');
});

test('what many rows hang on is read once for all of them, and only for who asks what starts them', async () => {
  const waiting = { status: 'not_started', reasonCode: 'upstream_failed', attempts: 0 } as const;
  const behind = Array.from({ length: 60 }, (_, at) => after(`row-${at}`, 'a', 0, waiting));
  const chain = Array.from({ length: 30 }, (_, at) =>
    after(`link-${at}`, at === 0 ? 'a' : `link-${at - 1}`, at && 60 + at, waiting),
  );
  const home = await seededHome('b', [{ id: 'a', record: { status: 'failed' } }, ...behind, ...chain]);
  const read: string[] = [];
  const readRecord = (batch: string, id: string) => {
    read.push(id);
    return home.records.readRecord(batch, id);
  };
  const access = { ...home, config: {} as never, records: { ...home.records, readRecord } };
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  for await (const row of finalRows(access, 'b', generation)) expect(row.start === undefined).toBe(row.id === 'a');
  expect(read).toHaveLength(91);
  expect(await readRowsLeft(access, 'b', generation, 90)).toMatchObject({ starts: { retry: 90 } });
  // Each row once more, and each of those that feed others.
  expect(read).toHaveLength(91 + 91 + 30);
});

test('rows that are to be rendered again behind one that needs a person keep their render, and that one is named', async () => {
  const by = { who: 'ann' };
  const states: SeededRow['states'] = [
    { state: 'created', atMs: T0, handle: 'h' },
    { state: 'rendered', atMs: T0, outputs: [], facts: {} },
    { state: 'overridden', atMs: T0, cause: 'rerun', by },
  ];
  const record = { files: [FILE], attempts: 1, creditsNano: CREDIT, rerunAtMs: T0, seenStates: 3 };
  const home = await seededHome('b', [
    {
      id: 'a',
      record: { status: 'review', reasonCode: 'answer_lost_undecided', hasEarlierFiles: true, files: [FILE] },
    },
    { ...after('b', 'a', 0, record), states },
    { ...after('c', 'b', 1, record), states },
    after('d', 'c', 2),
  ]);
  await noteReruns(home.home, 'b', ['a', 'b', 'c']);
  const status = await nextOf(home);
  expect(status).toMatchObject({ state: 'finished', counts: { done: 2, review: 1, not_started: 1 }, live: {} });
  expect(status.next).toContain('callsheet review list b ');
  const why = 'it is to be rendered again, which waits for an order about row a, which feeds it: review';
  const shown = new Map<string, object | undefined>();
  for await (const line of resultLines(home, 'b', (await home.rows.currentGeneration('b')) ?? '')) {
    shown.set(line.row.id, line.record);
  }
  const kept = { ...record, status: 'done', reason: `${why}, answer_lost_undecided` };
  expect([shown.get('b'), shown.get('c'), shown.get('d')]).toMatchObject([kept, kept, undefined]);
});
