// What the page of one row is told: its request as it is sent, its attempts, and nothing that proves whose a claim is.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shownRequest } from '../../src/cli/dashboard/shown-request.js';
import { attemptJson } from '../../src/cli/review/case-story.js';
import type { Attempt } from '../../src/domain/attempt.js';
import type { Row } from '../../src/domain/row.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { ACCOUNT, rowOf, type SeededHome, seededHome, T0 } from '../cli/seeded-home.js';
import { type ServedHome, serveHome, sessionOf } from './dashboard-rig.js';

let home: SeededHome;
let served: ServedHome;
let headers: Record<string, string>;

beforeAll(async () => {
  const rendered = { state: 'created', atMs: T0 + 2_000, handle: 'h' } as const;
  const kept = { flags: ['rerun_failed' as const], reason: 'it was to be rendered again, and the earlier file stays' };
  home = await seededHome('b', [
    { id: 'one', states: [rendered], record: {} },
    { id: 'two' },
    { id: 'kept', record: kept },
  ]);
  served = await serveHome(home);
  headers = { 'x-callsheet-session': await sessionOf(served) };
});
afterAll(() => served?.stop());

test('the request, the attempts and no secret of them', async () => {
  const ask = async (id: string) => (await fetch(`${served.origin}/api/batches/b/rows/${id}`, { headers })).text();
  const text = await ask('one');
  const { request, shown } = JSON.parse(text);
  expect(request).toMatchObject({ method: 'POST', path: expect.stringMatching(/^\/v1\//) });
  expect(JSON.stringify(request.body)).toContain('film one');
  expect(shown.attempts[0].states.map(({ state }: { state: string }) => state)).toEqual(['intent', 'created']);
  expect(text).not.toMatch(/sk-svc|a{64}/);
  expect(JSON.parse(await ask('two'))).toMatchObject({ shown: null, request: { method: 'POST' } });
});

test('a done row says what its flags mean', async () => {
  const ask = async (id: string) => {
    const answer = await fetch(`${served.origin}/api/batches/b/rows/${id}`, { headers });
    const { row, explanations } = (await answer.json()) as { row: { flags: string[] }; explanations: object[] };
    return { flags: row.flags, explanations };
  };
  expect(await ask('one')).toEqual({ flags: [], explanations: [] });
  const { flags, explanations } = await ask('kept');
  expect(flags).toEqual(['rerun_failed']);
  expect(explanations).toMatchObject([{ code: 'rerun_failed', meaning: expect.stringMatching(/earlier file/) }]);
});

test('a row that was edited since shows the request that was sent for it', async () => {
  const writer = createRowsWriter(home.home.store, ACCOUNT, 'b');
  const [row, other] = [rowOf('one', 0), rowOf('two', 1)];
  await writer.add({ row: { ...row, hash: 'edited', cells: { ...row.cells, prompt: 'film edited' } }, raw: {} });
  await writer.add({ row: { ...other, cells: { ...other.cells, prompt: 'film other' } }, raw: {} });
  const edited = await writer.finish({ columns: ['id'], passthroughColumns: [], createdAtMs: T0 + 1 });
  const before = await home.rows.currentGeneration('b');
  await home.rows.setCurrentGeneration('b', edited.generation);
  const requestOf = async (id: string) => {
    const answer = await fetch(`${served.origin}/api/batches/b/rows/${id}`, { headers });
    return JSON.stringify(((await answer.json()) as { request: object }).request);
  };
  expect(await requestOf('one')).toContain('film one');
  expect(await requestOf('two')).toContain('film other');
  await home.rows.setCurrentGeneration('b', before ?? '');
});

test('bytes and outputs of other rows stand as notes', () => {
  const row: Row = {
    ...rowOf('clip', 0),
    kind: 'svc/image',
    cells: { model: 'svc-alpha.2-klein-4b', prompt: 'p', width: 512, height: 512 },
  };
  const options = { responseFormat: 'url', aliasPaths: false } as const;
  const blob = { source: 'blob', sha256: 'f00', mediaType: 'image/png', bytes: 9 } as const;
  const fed = { source: 'row', id: 'hero', at: 0, frame: 'last' } as const;
  const film: Row = { ...rowOf('film', 1), media: { image: [blob] } };
  expect(JSON.stringify(shownRequest(row, options))).toContain('"prompt":"p"');
  expect(JSON.stringify(shownRequest(film, options))).toContain('(9 bytes, sha256 f00)');
  const chained = JSON.stringify(shownRequest({ ...film, media: { image: [fed] } }, options));
  expect(chained).toContain('(the last frame of row hero)');
});

test('a local file of a column that takes URLs alone stands as a note in the place of its URL', () => {
  const audio = { source: 'blob', sha256: 'f00', mediaType: 'audio/wav', bytes: 9 } as const;
  const row: Row = {
    ...rowOf('talk', 0),
    kind: 'vendor-b/avatar',
    cells: { avatar_id: 'a' },
    media: { audio: [audio] },
  };
  expect(shownRequest(row, { responseFormat: 'url', aliasPaths: false })).toMatchObject({
    body: { type: 'avatar', audio_url: '(9 bytes, sha256 f00)' },
  });
});

test('what proves whose a callback is stays in the ledger', () => {
  const claim = { state: 'intent', atMs: T0, nonce: 'n0', callbackToken: 'c0', kind: 'svc/image' };
  const text = JSON.stringify(attemptJson({ n: 1, torn: false, states: [claim] } as unknown as Attempt));
  expect(text).not.toMatch(/n0|c0/);
});

test('of a batch that lost its own file nothing is shown', async () => {
  rmSync(join(home.folder, 'home', ACCOUNT, 'batches', 'b', 'batch.json'));
  for (const path of ['', '/rows', '/rows/one', '/time']) {
    const answer = await fetch(`${served.origin}/api/batches/b${path}`, { headers });
    expect([path, answer.status]).toEqual([path, 404]);
  }
});
