// An attempt is booked at the price of what was sent: since then its row may have been changed in the manifest, and what
// feeds it rendered again (designs 3 and 9).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { downloadActivities } from '../../activities/download.js';
import { pollActivities } from '../../activities/poll.js';
import { salvageActivities } from '../../activities/salvage.js';
import { settleActivities } from '../../activities/settle.js';
import { finishBooks } from '../../src/books/finish-books.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { ServiceRequest } from '../../src/domain/exchange.js';
import type { OutputFile } from '../../src/domain/outcome.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from './support/account-at-hand.js';

const FILM = plainRow('film', { kind: 'vendor-f/video', cells: { model: 'm', prompt: 'steps', duration: 6 } });
const MOVE = plainRow('move', {
  ...{ index: 1, kind: 'vendor-a/motion-control', cells: { character_orientation: 'image' } },
  media: {
    image: [{ source: 'url', url: 'https://example.com/a.png' }],
    video: [{ source: 'row', id: 'film', at: 0 }],
  },
});
const CLIP = plainRow('clip', {
  ...{ index: 1, kind: 'vendor-f/video', cells: { model: 'm', prompt: 'on', duration: 6 } },
});
const FRAMED: Row = {
  ...plainRow('clip', { index: 1, kind: 'vendor-a/image2video', cells: { prompt: 'on' }, hash: 'of another kind' }),
  media: { image: [{ source: 'url', url: 'https://example.com/a.png' }] },
};
const TEXT = plainRow('clip', { index: 1, kind: 'vendor-a/text2video', cells: { prompt: 'on' } });
const LONGER: Row = { ...CLIP, cells: { ...CLIP.cells, duration: 8 }, hash: 'of other values' };
const PRICES: PriceRule[] = [
  { kind: 'vendor-a/motion-control', components: [{ unit: 'input-second', credits: '0.1' }] },
  { kind: 'vendor-f/video', components: [{ unit: 'second', credits: '0.1' }] },
];
const SIX_SECONDS = { lo: 600_000_000, hi: 600_000_000 };
/** As much as can be declared. */
const UP_TO_TEN = { lo: 100_000_000, hi: 1_000_000_000 };
const ENDED = { data: { task_id: 'h', task_status: 'succeed', task_result: { videos: [{ url: 'https://e.com/a' }] } } };
const SAMPLES = { generatedSamples: [{ video: { uri: 'https://example.com/a.mp4' } }] };
const FINISHED = { name: 'h', done: true, response: { generateVideoResponse: SAMPLES } };

const fileOf = (sha256: string, durationSeconds: number): OutputFile => ({
  ...{ file: `media/${sha256}.mp4`, contentType: 'video/mp4', bytes: 9, sha256, durationSeconds },
});

/** `row` was sent when it cost six seconds, and costs others by now. */
async function sentBefore(row: Row, second: (atMs: number) => AttemptState, { isAccepted = false } = {}) {
  const { deps, clock, generation, refOf } = await accountAtHand([FILM, row], PRICES);
  await readAccount(deps, 10);
  const past = { files: [fileOf('first', 5.6)], warnings: [], finishedAtMs: 1, rowHash: FILM.hash };
  const now = { files: [fileOf('second', 2.6)], rowHash: FILM.hash, pastRenders: isAccepted ? [] : [past] };
  await deps.records.writeRecord('b', rowRecord({ id: 'film', kind: FILM.kind, ...now }));
  const ref = { batch: 'b', id: row.id, n: 1 };
  const made = { generation, part: 0, index: 1, kind: row.kind, rowHash: row.hash };
  const inputs = row === MOVE ? { inputs: [{ row: 'film', sha256: 'first' }] } : {};
  clock.nowMs += 1_000;
  const intent = { state: 'intent', atMs: clock.nowMs, nonce: 'x', expected: SIX_SECONDS } as const;
  await deps.ledger.claim(ref, { ...intent, ...made, ...inputs });
  await deps.ledger.append(ref, second(clock.nowMs));
  let rowRef = refOf(row);
  const changed = row === CLIP ? LONGER : row === TEXT ? FRAMED : undefined;
  if (changed !== undefined) {
    const writer = createRowsWriter(deps.home.store, 'a', 'b');
    for (const one of [FILM, changed]) await writer.add({ row: one, raw: {} });
    const edited = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 2 });
    rowRef = { ...rowRef, generation: edited.generation, kind: changed.kind };
  }
  clock.nowMs += MINUTE_MS;
  const paths: string[] = [];
  const send = async ({ path }: ServiceRequest) => {
    paths.push(path);
    const body = Buffer.from(JSON.stringify(row === CLIP ? FINISHED : ENDED));
    return { outcome: 'answered', answer: { status: 200, body }, tookMs: 1 };
  };
  const served = { ...deps, transport: { send } } as never;
  const booked = async () => {
    const entries = [];
    for await (const one of deps.book.each(0)) if (one.end !== 'follow_up') entries.push(one);
    return entries.map(({ end, lo, hi, list }) => ({ end, lo, hi, ...(list && { list }) }));
  };
  return { deps, served, clock, ref, input: { row: rowRef, n: 1 }, booked, paths };
}

const created = (atMs: number): AttemptState => ({ state: 'created', atMs, handle: 'h' });
const lost = (atMs: number): AttemptState => ({
  ...{ state: 'created_lost', atMs, salvagedHandle: 'h' },
  evidence: { rule: 'TH', message: 'cut' },
});
const charged = [{ end: 'charged', ...SIX_SECONDS, list: SIX_SECONDS }];

test.each([
  ['fed by a film that was rendered again', MOVE],
  ['changed in the manifest', CLIP],
])('a row %s: the poll that says ended', async (_, row) => {
  const { served, input, booked } = await sentBefore(row, created);
  const { poll } = pollActivities(served);
  await new MockActivityEnvironment().run(poll, { ...input, grant: null, expected: null, timeScale: 1 });
  expect(await booked()).toEqual(charged);
});

test.each([
  ['fed by a film that was rendered again', MOVE],
  ['changed in the manifest', CLIP],
])('a row %s: the poll that confirms a handle', async (_, row) => {
  const { served, input, booked } = await sentBefore(row, lost);
  const { confirmHandle } = salvageActivities(served);
  await new MockActivityEnvironment().run(confirmHandle, { ...input, candidate: 0, timeScale: 1 });
  expect(await booked()).toEqual(charged);
});

test.each([
  ['fed by a film that was rendered again', MOVE],
  ['changed in the manifest', CLIP],
])('a row %s: the bill that the balance shows', async (_, row) => {
  const unknown = (atMs: number): AttemptState => ({
    ...{ state: 'unknown', atMs },
    evidence: { rule: 'T11', message: 'reset' },
  });
  const { deps, served, clock, input, booked } = await sentBefore(row, unknown);
  for (let i = 0; i < 2; i += 1) {
    clock.nowMs += MINUTE_MS;
    await readAccount(deps, 9.4);
  }
  const { settle } = settleActivities(served);
  expect(await settle(input)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await booked()).toEqual([{ end: 'billed', ...SIX_SECONDS, list: SIX_SECONDS }]);
});

test.each([
  ['was rendered again', {}, SIX_SECONDS],
  ['was retouched, and nothing tells how long it was', { isAccepted: true }, UP_TO_TEN],
])('what a crash left undone, where the film that feeds a row %s', async (_, how, list) => {
  const { deps, ref, booked } = await sentBefore(MOVE, created, how);
  await deps.ledger.append(ref, rendered(deps.now()));
  const attempt = await deps.ledger.readAttempt(ref);
  if (attempt) await finishBooks(deps.books, ref, attempt);
  expect(await booked()).toEqual([{ end: 'charged', ...list, list }]);
});

const rendered = (atMs: number): AttemptState => ({ state: 'rendered', atMs, outputs: [], facts: {} });

test('a task is asked after under the capability that it was submitted to, whatever its row is by now', async () => {
  const { served, deps, ref, input, paths } = await sentBefore(TEXT, created);
  await deps.ledger.append(ref, rendered(deps.now()));
  await new MockActivityEnvironment().run(downloadActivities(served).askFreshUrl, input);
  expect(paths).toEqual(['/v1/vendor-a/videos/text2video/h']);
});
