// A feeder's URL that answers no longer is asked for anew, and waited for without a slot (design 5 F40; design 9).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { inputActivities } from '../../activities/inputs.js';
import { makeMp4 } from '../../emulator/media/media-mp4.js';
import { DownloadError } from '../../src/service/download.js';
import { createFolderStore } from '../../src/store/folder.js';
import { sha256 } from '../download/broken-server.js';
import { intent } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const OLD = 'https://files.example/old.mp4';
/** Of what it rendered for other values, which it has no longer. */
const OTHER = 'https://files.example/other.mp4';
const FRESH = 'https://files.example/fresh.mp4';
const BYTES = await makeMp4({ width: 1280, height: 720, frames: 72, audio: false });
const FILM = plainRow('film', { kind: 'vendor-c/video', cells: { model: 'vendor-c-3.0-video', prompt: 'a bird' } });
const FED = plainRow('fed', {
  ...{ index: 1, kind: 'vendor-a/omni-video', cells: { prompt: 'it flies' } },
  media: { videos: [fed('film', 0)] },
});

/** `given` is the URL that a poll gives now; only the fresh one serves the film. */
async function fedByFilm({ given = OLD, flags = [] as 'rerun_failed'[], isBack = false } = {}) {
  const { deps, clock, refOf, generation } = await accountAtHand([FILM, FED]);
  const out = createFolderStore(temporaryFolder());
  await out.put('b/media/film.mp4', BYTES);
  const ref = { batch: 'b', id: 'film', n: 1 };
  const { nowMs: atMs } = clock;
  await deps.ledger.claim(ref, intent({ atMs, rowHash: FILM.hash, kind: FILM.kind, generation, index: 0 }));
  await deps.ledger.append(ref, { state: 'created', atMs, handle: 't-9' });
  await deps.ledger.append(ref, { state: 'rendered', atMs, outputs: [{ url: OLD }], facts: {} });
  if (isBack) {
    const later = { batch: 'b', id: 'film', n: 2 };
    await deps.ledger.claim(later, intent({ atMs: atMs + 1, rowHash: 'other', kind: FILM.kind, generation, index: 0 }));
    await deps.ledger.append(later, { state: 'created', atMs: atMs + 1, handle: 't-10' });
    await deps.ledger.append(later, { state: 'rendered', atMs: atMs + 1, outputs: [{ url: OTHER }], facts: {} });
  }
  const file = { file: 'media/film.mp4', contentType: 'video/mp4', bytes: BYTES.length, sha256: sha256(BYTES) };
  const ended = { id: 'film', kind: FILM.kind, rowHash: FILM.hash, files: [{ ...file, durationSeconds: 3 }], flags };
  await deps.records.writeRecord(
    'b',
    rowRecord({ ...ended, attempts: 1, seenStates: isBack ? 6 : 3, submittedAtMs: atMs }),
  );
  const polls: string[] = [];
  const looks: string[] = [];
  const body = { output: { task_id: 't-9', task_status: 'SUCCEEDED', video_url: given } };
  Object.assign(deps, {
    isS3Reachable: false,
    openStore: () => out,
    downloader: {
      fetchInput: async (url: string) => {
        looks.push(url);
        if (url !== FRESH) throw new DownloadError('expired', 'files.example answered 410', 410);
        return { contentLength: BYTES.length, stream: [BYTES] };
      },
    },
    transport: {
      send: async ({ path }: { path: string }) => {
        polls.push(path);
        return { outcome: 'answered', answer: { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) } };
      },
    },
  });
  Object.assign(deps.settings, { home: '/home', timeScale: 1_000 });
  clock.nowMs += MINUTE_MS / 1_000;
  const prepare = (attempt = 1) =>
    new MockActivityEnvironment({ attempt }).run(inputActivities(deps).fetchInputs, { row: refOf(FED) });
  return { prepare, polls, looks };
}

test('the handle is asked for a fresh URL, and the row goes on with it', async () => {
  const { prepare, polls } = await fedByFilm({ given: FRESH });
  expect(await prepare()).toBe(true);
  expect(polls).toEqual(['/v1/vendor-c/tasks/t-9']);
});

test('a film that has its old values back feeds by the URL, and the handle, of what it has', async () => {
  const { prepare, polls, looks } = await fedByFilm({ given: FRESH, isBack: true });
  expect(await prepare()).toBe(true);
  expect(polls).toEqual(['/v1/vendor-c/tasks/t-9']);
  expect(looks).not.toContain(OTHER);
});

test('without a fresh one it is tried again for a while, and the row then says why it was not sent', async () => {
  const { prepare } = await fedByFilm();
  await expect(prepare()).rejects.toMatchObject({ type: 'download.interrupted' });
  await expect(prepare(34)).rejects.toMatchObject({ type: 'download.interrupted' });
  const text = expect.stringMatching(/what row film rendered is not to be had any more \(HTTP 410\)/);
  expect(await prepare(35)).toEqual({ reason: 'input_missing', text });
});

test('what stands back for a render that failed is not asked for: its record would be outdone', async () => {
  const { prepare, polls } = await fedByFilm({ given: FRESH, flags: ['rerun_failed'] });
  await expect(prepare()).rejects.toMatchObject({ type: 'download.interrupted' });
  expect(polls).toEqual([]);
});
