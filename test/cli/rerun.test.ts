// `rerun` before anything is sent: what it refuses, what it records, and what takes the order back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { decidedRows } from '../../src/cli/review/continue-rows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { intentOf } from '../../src/domain/standing.js';
import { isCancelledBatch, writeSampleGate } from '../../src/home/batch-marks.js';
import { type SeededHome, seededHome, T0 } from './seeded-home.js';

const CREATED: AttemptState = { state: 'created', atMs: T0 + 5_000, handle: 'h' };
const RENDERED: AttemptState = { state: 'rendered', atMs: T0 + 9_000, outputs: [], facts: {} };
const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};
const FILE = { file: 'media/one.mp4', contentType: 'video/mp4', bytes: 5, sha256: 'a'.repeat(64) };

const BEING_RENDERED =
  /row 'one' is being rendered again already, by the order of \d{4}-.*: `callsheet watch b .*` follows it to its end/;

let home: SeededHome;
beforeEach(async () => {
  home = await seededHome('b', [
    { id: 'one', states: [CREATED, RENDERED], record: { files: [FILE] } },
    { id: 'open', states: [CREATED] },
    { id: 'lost', states: [LOST, UNDECIDED], record: { status: 'review', reasonCode: 'answer_lost_undecided' } },
    { id: 'failed', record: { status: 'failed', reasonCode: 'invalid_request', attempts: 0 } },
    { id: 'edited', states: [CREATED, RENDERED], record: { files: [FILE], rowHash: 'other' } },
  ]);
  home.stopEngine(0);
});

const states = async (id: string) => (await home.ledger.read('b', id)).map(({ states }) => states.at(-1)?.state);

test.each([
  ['open', /row 'open' is under way: wait for its end, `callsheet watch b .*` follows it; nothing was changed/],
  ['lost', /row 'lost' needs a person first, .*`callsheet review show b lost .*`/],
  ['failed', /row 'failed' is not done/],
  ['edited', /row 'edited' was changed in the manifest since/],
  ['onne', /batch 'b' has no row 'onne'; did you mean 'one'\?/],
  [
    'somebody-else',
    /batch 'b' has no row 'somebody-else'; `callsheet results b .*` names the files that list its rows/,
  ],
])('%s is refused with exit 2', async (id, why) => {
  const before = await states(id);
  const { exitCode, stderr } = await home.run('rerun', 'b', id, '--yes');
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(why)]);
  expect(await states(id)).toEqual(before);
});

test('of a row that shares a render it says that its file stays, whatever is ordered of the other', async () => {
  const one = { id: 'one', states: [CREATED, RENDERED], record: { files: [FILE] } };
  home = await seededHome('b', [one, { id: 'twin', row: { shares: 0 }, record: { files: [FILE], attempts: 0 } }]);
  const { exitCode, stderr } = await home.run('rerun', 'b', 'twin', '--yes');
  const why =
    /row 'twin' shares the render of row 'one', and keeps the file that it has: `callsheet rerun b one .*` renders that one anew/;
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('an order that waits for the engine names the command that carries it out as the next one', async () => {
  const { exitCode, stdout } = await home.run('rerun', 'b', 'one', '--yes', '--json');
  const answer = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(answer).toMatchObject({ queued: false, next: expect.stringMatching(/^callsheet resume b /) });
  expect(answer.held).toContain(`\`${answer.next}\` carries it out`);
});

test('the same order again, while the first is carried out, names it and what follows it', async () => {
  const record = await home.records.readRecord('b', 'one');
  const [attempt] = await home.ledger.read('b', 'one');
  const intent = attempt && intentOf(attempt);
  if (record === undefined || intent === undefined) throw new Error('the home has no such row');
  await home.records.writeRecord('b', { ...record, rerunAtMs: T0 + 90_000 });
  await home.ledger.claim({ batch: 'b', id: 'one', n: 2 }, intent);
  const again = await home.run('rerun', 'b', 'one', '--yes', '--with-dependents');
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringMatching(BEING_RENDERED)]);
  expect(again.stderr).toContain('; nothing was changed');
});

test('without --yes nothing is recorded, and a budget of the batch is kept', async () => {
  const unsaid = await home.run('rerun', 'b', 'one');
  expect([unsaid.exitCode, unsaid.stderr]).toEqual([2, expect.stringContaining('say --yes; nothing was submitted')]);
  const dear = await home.run('rerun', 'b', 'one', '--yes', '--max-credits', '0.5');
  expect([dear.exitCode, dear.stderr]).toEqual([2, expect.stringContaining('B52')]);
  expect(await states('one')).toEqual(['rendered']);
});

test('the order stands in the home until it is carried out; a cancel takes it back and the row stays done', async () => {
  const ordered = await home.run('rerun', 'b', 'one', '--yes');
  expect([ordered.exitCode, ordered.stderr]).toEqual([0, expect.stringContaining('carries it out')]);
  expect(await states('one')).toEqual(['overridden']);
  expect((await home.records.readRecord('b', 'one'))?.rerunAtMs).toBeGreaterThan(0);
  const again = await home.run('rerun', 'b', 'one', '--yes');
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringMatching(BEING_RENDERED)]);
  await home.run('cancel', 'b');
  const dropped = await home.records.readRecord('b', 'one');
  expect(dropped).toMatchObject({ status: 'done', files: [FILE], flags: ['rerun_failed'], seenStates: 4 });
  expect(dropped).not.toHaveProperty('rerunAtMs');
});

test('a cancel that finds nothing else to end says what it took back, in the results too', async () => {
  home = await seededHome('b', [{ id: 'one', states: [CREATED, RENDERED], record: { files: [FILE] } }]);
  home.stopEngine(0);
  await home.run('rerun', 'b', 'one', '--yes');
  const { stdout } = await home.run('cancel', 'b');
  expect(stdout).toContain('1 row that was to be rendered again keeps its earlier file');
  expect(await isCancelledBatch(home.home, 'b')).toBe(false);
  expect(readFileSync(join(home.folder, 'out', 'b', 'results.csv'), 'utf8')).toContain('rerun_failed');
  expect((await home.run('cancel', 'b')).stdout).toContain('nothing to cancel');
});

test('what a row of a sample feeds beyond the sample is not ordered: it would wait for the approval', async () => {
  const media = { image: [{ source: 'row' as const, id: 'one', at: 0 }] };
  home = await seededHome('b', [
    { id: 'one', states: [CREATED, RENDERED], record: { files: [FILE] } },
    { id: 'fed', row: { media }, states: [CREATED, RENDERED], record: { files: [FILE] } },
  ]);
  home.stopEngine(0);
  await writeSampleGate(home.home, 'b', { ids: ['one'], atMs: 1 });
  const refused = await home.run('rerun', 'b', 'one', '--yes', '--with-dependents');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("row 'fed' is not of the sample")]);
  expect([await states('one'), await states('fed')]).toEqual([['rendered'], ['rendered']]);
  expect((await home.run('rerun', 'b', 'one', '--yes')).exitCode).toBe(0);
});

test('after `engine stop`, the order for a row that was reused is found again by `resume`, though it has no attempt', async () => {
  home = await seededHome('b', [
    { id: 'one', record: { files: [FILE], attempts: 0, reusedFrom: 'old/one' } },
    { id: 'two', record: { files: [FILE], attempts: 0, reusedFrom: 'old/two' } },
    { id: 'untried' },
  ]);
  home.stopEngine(0);
  expect(await home.run('rerun', 'b', 'one', '--yes')).toMatchObject({ exitCode: 0 });
  const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
  const found = await decidedRows({ access: home, batch: 'b', generation } as never);
  expect(found.map(({ id }) => id)).toEqual(['one']);
});
